package import PaymentPrimitives

/// The errors of a compressed file.
package enum GzipErrorCode: String, ErrorCode {
  /// The bytes are not gzip, or their checksum is wrong.
  case malformed = "gzip_malformed"
  /// The file ends too early.
  case truncated = "gzip_truncated"
  case tooLarge = "gzip_too_large"

  package var meaning: BilingualText {
    switch self {
    case .malformed: BilingualText("The file is not gzip, or was changed.", "该文件不是 gzip 格式，或已被改动。")
    case .truncated: BilingualText("The compressed file ends too early.", "压缩文件不完整。")
    case .tooLarge: BilingualText("The compressed file contains more than is allowed.", "压缩文件的内容超出允许的大小。")
    }
  }

  package var remedy: BilingualText {
    switch self {
    case .malformed, .truncated: BilingualText("Download it again.", "请重新下载。")
    case .tooLarge: BilingualText("Raise the limit if a file of this size is expected.", "若确有如此大的文件，请提高上限。")
    }
  }

  package var retry: RetryAdvice { self == .tooLarge ? .never : .later }
}
