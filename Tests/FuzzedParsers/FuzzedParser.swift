/// A parser of foreign bytes, with what must hold whatever it is fed with.
///
/// `Fuzz` feeds it with libFuzzer (`make fuzz`); `FuzzedParsersTests` feeds it with the seeds alone.
package struct FuzzedParser: Sendable {
  /// As its seeds and its dictionary in `Fuzzers/` are named.
  package let name: String
  /// Takes the bytes and returns 0, as libFuzzer wants it.
  ///
  /// It ends the process when something does not hold.
  package let feed: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt

  private init(_ name: String, _ feed: @escaping @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt) {
    self.name = name
    self.feed = feed
  }

  /// All of them, by name.
  package static let all: [FuzzedParser] = [
    FuzzedParser("Base64") { fuzzBase64($0, $1) }, FuzzedParser("Certificate") { fuzzCertificate($0, $1) },
    FuzzedParser("Forwarding") { fuzzForwarding($0, $1) }, FuzzedParser("HTTPHeaders") { fuzzHTTPHeaders($0, $1) },
    FuzzedParser("JSON") { fuzzJSON($0, $1) }, FuzzedParser("Key") { fuzzKey($0, $1) },
    FuzzedParser("Passkey") { fuzzPasskey($0, $1) },
    FuzzedParser("Payload") { fuzzPayload($0, $1) }, FuzzedParser("RSAKey") { fuzzRSAKey($0, $1) },
    FuzzedParser("Receipt") { fuzzReceipt($0, $1) }, FuzzedParser("RequestTarget") { fuzzRequestTarget($0, $1) },
    FuzzedParser("SignedData") { fuzzSignedData($0, $1) }, FuzzedParser("TOML") { fuzzTOML($0, $1) },
    FuzzedParser("TradeBill") { fuzzTradeBill($0, $1) },
    FuzzedParser("TransactionReceipt") { fuzzTransactionReceipt($0, $1) },
    FuzzedParser("WeChatNotification") { fuzzWeChatNotification($0, $1) },
  ]
}
