import Cryptography
import PaymentServer
import ShopFixtures
import Testing

@Suite struct `The keys of an identity provider` {
  private static let point = TokenMaker.privateKey.publicKey.point
  private static let x = Base64URL.encode(point[1...32])
  private static let y = Base64URL.encode(point[33...])
  private static let good = key()

  /// A key on P-256; `more` is added to it.
  private static func key(_ kid: String = "1", curve: String = "P-256", x: String = Self.x, more: String = "") -> String
  {
    #"{"kty":"EC","crv":"\#(curve)","kid":"\#(kid)","x":"\#(x)","y":"\#(y)"\#(more)}"#
  }

  /// An RSA key of 2048 bits.
  private static func rsa(exponent: String) -> String {
    let modulus = Base64URL.encode([UInt8](repeating: 0xFF, count: 256))
    return #"{"kty":"RSA","kid":"rsa","n":"\#(modulus)","e":"\#(exponent)"}"#
  }

  private static func keySet(_ keys: String...) -> String { #"{"keys":[\#(keys.joined(separator: ","))]}"# }

  private static let unusable: [String] = [
    "", "x", "[]", "{}", #"{"keys":{}}"#, keySet(), keySet("1"), keySet(#"{"kty":"EC"}"#),
    // Not on the curve, on another one, or of another length.
    keySet(key(x: y)), keySet(key(curve: "P-384")), keySet(key(x: "AAAA")),
    keySet(key("")), keySet(key(String(repeating: "k", count: 256))),
    keySet(key(more: #","use":"enc""#)), keySet(key(more: #","alg":"ES384""#)), keySet(key(more: #","alg":"HS256""#)),
    keySet(#"{"kty":"RSA","kid":"1","n":"AQAB","e":"AQAB"}"#),
    // With the exponent 1 every text would be its own signature; 0 and 2 are none.
    keySet(rsa(exponent: "AQ")), keySet(rsa(exponent: "AAE")), keySet(rsa(exponent: "Ag")), keySet(rsa(exponent: "AA")),
    keySet(#"{"kty":"OKP","kid":"1","crv":"Ed25519","x":"AA"}"#),
  ]

  @Test(arguments: unusable)
  func `are refused without one that signs`(text: String) {
    #expect(throws: JSONWebKeySet.Problem.self) { try JSONWebKeySet(Array(text.utf8)) }
  }

  private static let refused: [(text: String, words: String)] = [
    (keySet(good, good), "Two of its keys"), (keySet(good, key("2", more: #","d":"AA""#)), "a private key"),
    (keySet(good, #"{"kty":"oct","kid":"2","k":"AA"}"#), "a shared secret"),
    (keySet(good) + String(repeating: " ", count: JSONWebKeySet.bytesMax), "no JSON"),
    (#"{"keys":[\#(Array(repeating: good, count: 65).joined(separator: ","))]}"#, "at most 64"),
  ]

  @Test(arguments: refused)
  func `are refused if they are doubled, secret, or too many`(text: String, words: String) {
    let problem = #expect(throws: JSONWebKeySet.Problem.self) { try JSONWebKeySet(Array(text.utf8)) }
    #expect(problem?.description.contains(words) == true, "\(problem?.description ?? "none")")
  }

  @Test func `are those that sign, beside others that do not count`() throws {
    let text = Self.keySet(
      Self.good, Self.key("2", more: #","use":"sig","alg":"ES256""#), Self.key("3", more: #","use":"enc""#),
      #"{"kty":"OKP","kid":"4"}"#, Self.rsa(exponent: "AQAB"))
    #expect(try JSONWebKeySet(Array(text.utf8)).count == 3)
  }
}
