import AppStoreProtocol
import Cryptography
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import TestFixtures
import Testing

/// Our requests beside those of Apple's own library for Python (`app-store-server-library`).
@Suite(.enabled(if: PythonTool.isPresent, "\(PythonTool.absence)"))
struct `A request to the App Store Server API, beside Apple's library` {
  @Test func `has the same method, address and body for every call`() throws {
    let pairs = try ServerAPIBench.everyCall()
    let answer = try ask(pairs)
    let calls = try #require(answer["calls"]?.array)
    #expect(calls.count == pairs.count)
    for (pair, theirs) in zip(pairs, calls) {
      #expect(theirs["method"]?.string == pair.ours.method, "\(pair.name)")
      #expect(plain(theirs["target"]?.string) == plain(pair.ours.target), "\(pair.name)")
      let body = theirs["body"]?.string ?? ""
      #expect(body.isEmpty == pair.ours.body.isEmpty, "\(pair.name)")
      if !body.isEmpty {
        #expect(try JSONReader.read(body.utf8).sorted == JSONReader.read(pair.ours.body).sorted, "\(pair.name)")
      }
      #expect(theirs["type"]?.string == pair.ours.fields["Content-Type"] ?? "", "\(pair.name)")
    }
  }

  @Test func `carries a token that its libraries verify, with the claims that Apple documents`() throws {
    let answer = try ask([])
    let seconds = ServerAPIBench.now.seconds
    #expect(
      answer["claims"]?.sorted
        == JSONValue.members([
          ("aud", .string("appstoreconnect-v1")), ("bid", .string("com.example")),
          ("exp", .integer(seconds + 300)), ("iat", .integer(seconds - 60)),
          ("iss", .string(ServerAPIBench.issuerId)),
        ]))
    #expect(
      answer["header"]?.sorted
        == JSONValue.members([
          ("alg", .string("ES256")), ("kid", .string("ABCDEFGHIJ")), ("typ", .string("JWT")),
        ]))
  }

  private func ask(_ pairs: [ServerAPIBench.Pair]) throws -> JSONValue {
    let pem = PEM.text(label: "PUBLIC KEY", bytes: ServerAPIBench.key.publicKey.spki)
    let question = JSONValue.members([
      ("bundleId", .string("com.example")),
      ("token", .string(try ServerAPIBench.credentials().token(at: ServerAPIBench.now))),
      ("publicKey", .string(pem)),
      ("calls", .array(pairs.map { .members([("name", .string($0.name)), ("arguments", .array($0.arguments))]) })),
    ])
    return try PythonTool.run("apple_calls.py", input: question) { [$0, $1] }
  }

  /// A normalized address: Python writes spaces and booleans in its own way (`+`, `False`), unlike Apple's other
  /// libraries.
  private func plain(_ target: String?) -> [String] {
    let parts = (target ?? "").split(separator: "?", maxSplits: 1).map(String.init)
    let query = parts.dropFirst().first?.split(separator: "&").map(String.init) ?? []
    return [parts.first ?? ""]
      + query.map {
        $0 == "revoked=False" ? "revoked=false" : String($0.replacing("+", with: "%20"))
      }
  }
}
