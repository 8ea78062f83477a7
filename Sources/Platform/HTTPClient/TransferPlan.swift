import CCurl
import PaymentPrimitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The options of exchanges, prepared once for libcurl.
struct TransferPlan: Sendable {
  let route: HTTPClientOptions.Route
  let answerBytesMax: Int
  let hosts: [String: [String]]
  /// Certificates in PEM that replace the system's file; nil to use that file.
  let authorities: [UInt8]?
  /// Whether the system's folder of certificates is used too.
  let usesSystemFolder: Bool

  init(
    _ options: HTTPClientOptions, hosts: [String: [String]]
  ) throws(CodedError<HTTPClientErrorCode>) {
    route = options.route
    answerBytesMax = max(0, options.answerBytesMax)
    self.hosts = hosts
    let systemFile = SystemAuthorities.file
    switch options.trust {
    case .system:
      authorities = nil
      // libcurl caches what it has parsed from a file, but not if a folder is set too. Parsing all authorities again
      // costs more than the rest of a handshake.
      usesSystemFolder = systemFile == nil
    case .systemAnd(let pem):
      try Self.check(pem)
      var all: [UInt8] = []
      if let systemFile { all = try SystemAuthorities.read(systemFile) }
      authorities = all + [0x0A] + pem
      usesSystemFolder = true
    case .only(let pem):
      try Self.check(pem)
      authorities = pem
      usesSystemFolder = false
    }
  }

  private static func check(_ pem: [UInt8]) throws(CodedError<HTTPClientErrorCode>) {
    guard pem.firstRange(of: Array("-----BEGIN CERTIFICATE-----".utf8)) != nil else {
      throw CodedError(.authorityUnreadable)
    }
  }
}

/// The default certificate authorities of this libcurl build.
enum SystemAuthorities {
  /// The file with all authorities; nil if libcurl was built with a folder only.
  static let file: String? = {
    guard let easy = curl_easy_init() else { return nil }
    defer { curl_easy_cleanup(easy) }
    var text: UnsafePointer<CChar>?
    guard ccurl_get_text(easy, CURLINFO_CAINFO, &text) == CURLE_OK, let text else { return nil }
    return String(cString: text)
  }()

  static func read(_ path: String) throws(CodedError<HTTPClientErrorCode>) -> [UInt8] {
    guard let file = fopen(path, "rb") else {
      throw CodedError(.authorityUnreadable, "The system's own file \(path) cannot be opened.")
    }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    // The usual bundle has 200 kB.
    while bytes.count < 16 << 20 {
      let count = fread(&buffer, 1, buffer.count, file)
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
    throw CodedError(.authorityUnreadable, "The system's own file \(path) is larger than 16 MiB.")
  }
}
