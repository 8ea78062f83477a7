import CLibFuzzer

/// The parsers that can be fed, by name.
private let parsers: [(name: String, feed: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt)] = [
  ("Base64", { fuzzBase64($0, $1) }), ("Certificate", { fuzzCertificate($0, $1) }),
  ("Forwarding", { fuzzForwarding($0, $1) }),
  ("HTTPHeaders", { fuzzHTTPHeaders($0, $1) }), ("JSON", { fuzzJSON($0, $1) }), ("Key", { fuzzKey($0, $1) }),
  ("Payload", { fuzzPayload($0, $1) }), ("RequestTarget", { fuzzRequestTarget($0, $1) }),
  ("Receipt", { fuzzReceipt($0, $1) }), ("RSAKey", { fuzzRSAKey($0, $1) }),
  ("SignedData", { fuzzSignedData($0, $1) }), ("TOML", { fuzzTOML($0, $1) }),
  ("TradeBill", { fuzzTradeBill($0, $1) }), ("TransactionReceipt", { fuzzTransactionReceipt($0, $1) }),
  ("WeChatNotification", { fuzzWeChatNotification($0, $1) }),
]

/// The entry that SwiftPM expects of a program named Fuzz; libFuzzer's own would need a program for each parser.
///
/// `Fuzz NAME [what libFuzzer takes]`; without a name it lists the names.
@_cdecl("Fuzz_main")
public func run(
  _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
  var names: [UnsafeMutablePointer<CChar>?] = (0..<Int(count)).map { arguments?[$0] }
  guard names.count > 1, let name = names[1].map({ String(cString: $0) }),
    let parser = parsers.first(where: { $0.name == name })
  else {
    for parser in parsers { print(parser.name) }
    return names.count > 1 ? 2 : 0
  }
  names.remove(at: 1)
  var rest = CInt(names.count)
  names.append(nil)
  return names.withUnsafeMutableBufferPointer { buffer in
    var start = buffer.baseAddress
    return LLVMFuzzerRunDriver(&rest, &start, parser.feed)
  }
}
