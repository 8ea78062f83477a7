import CZlib
package import PaymentPrimitives

/// Files in gzip form (RFC 1952), read as a whole with a size limit. WeChat Pay's bills use this form.
package enum Gzip {
  /// The content of a file; if the file has several members, their contents in order.
  ///
  /// - Parameter bytesMax: the maximum size of the content. Forty bytes of gzip can expand to forty thousand, so the
  ///   file size is no limit.
  /// - Throws: `malformed`, `truncated` or `tooLarge`; never returns partial content.
  package static func decompress(_ file: [UInt8], bytesMax: Int) throws(CodedError<GzipErrorCode>) -> [UInt8] {
    var stream = z_stream()
    guard czlib_start_reading_gzip(&stream) == Z_OK else { preconditionFailure("zlib has no memory left") }
    defer { inflateEnd(&stream) }
    var output: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: pieceBytes)
    var file = file
    let ending: Ending = file.withUnsafeMutableBufferPointer { file in
      guard file.count <= Int(UInt32.max) else { return .tooLarge }
      stream.next_in = file.baseAddress
      stream.avail_in = UInt32(file.count)
      while true {
        let (result, count) = Self.step(&stream, &piece)
        guard output.count + count <= bytesMax else { return .tooLarge }
        output += piece.prefix(count)
        switch result {
        case Z_STREAM_END:
          if stream.avail_in == 0 { return .whole }
          guard inflateReset(&stream) == Z_OK else { return .malformed }
        case Z_OK: continue
        // No progress is possible: the file ends within a member.
        case Z_BUF_ERROR: return .truncated
        default: return .malformed
        }
      }
    }
    switch ending {
    case .whole: return output
    case .truncated: throw CodedError(.truncated, "It ends after \(output.count) bytes of content.")
    case .malformed: throw CodedError(.malformed)
    case .tooLarge: throw CodedError(.tooLarge, "Its content is larger than \(bytesMax) bytes.")
    }
  }

  package static func compress(_ content: [UInt8]) -> [UInt8] {
    precondition(content.count <= Int(UInt32.max), "a file of ours stays below 4 GiB")
    var stream = z_stream()
    guard czlib_start_writing_gzip(&stream) == Z_OK else { preconditionFailure("zlib has no memory left") }
    defer { deflateEnd(&stream) }
    var content = content
    return content.withUnsafeMutableBufferPointer { content in
      // zlib's own bound for this stream, so that one step is enough.
      let bound = Int(deflateBound(&stream, UInt(content.count)))
      stream.next_in = content.baseAddress
      stream.avail_in = UInt32(content.count)
      return [UInt8](unsafeUninitializedCapacity: bound) { output, count in
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(bound)
        let result = deflate(&stream, Z_FINISH)
        precondition(result == Z_STREAM_END, "zlib gave a bound that does not hold")
        count = bound - Int(stream.avail_out)
      }
    }
  }

  private enum Ending { case whole, truncated, malformed, tooLarge }

  /// The chunk size of the output.
  private static let pieceBytes = 64 << 10

  private static func step(_ stream: inout z_stream, _ piece: inout [UInt8]) -> (result: Int32, count: Int) {
    piece.withUnsafeMutableBufferPointer { piece in
      stream.next_out = piece.baseAddress
      stream.avail_out = UInt32(piece.count)
      let result = inflate(&stream, Z_NO_FLUSH)
      return (result, piece.count - Int(stream.avail_out))
    }
  }
}
