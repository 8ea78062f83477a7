import AppStoreProtocol
import Cryptography
import PaymentPrimitives
import SigningAuthorities

/// BER and CMS from anywhere: reading never traps and never runs on, pieces of a string are as many bytes as they are
/// long together, and nobody's receipt is valid.
func fuzzReceipt(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  var reader = BERReader(bytes)
  while let element = try? reader.next() {
    if let octets = try? reader.octets(of: element) { precondition(octets.count <= count) }
    if var inside = try? reader.inside(element) { _ = try? inside.next() }
  }
  if let signed = try? CMSSignedData(bytes) {
    precondition(signed.content.count + signed.signature.count <= count)
    precondition(signed.certificates.allSatisfy { $0.der.count <= count })
  }
  judge(Base64.encode(bytes))
  judge(String(decoding: bytes, as: UTF8.self))
  // As a content that is really signed, they reach everything behind the signature.
  judge(Base64.encode(chain.appReceipt(bytes) as [UInt8]))
  return 0
}

private let start = Timestamp(seconds: 1_000_000_000)
private let end = Timestamp(seconds: 2_000_000_000)
private let authority = ReceiptShapedAuthority(
  name: "Made for fuzzing", randomBytes: [UInt8](repeating: 1, count: 48), notBefore: start, notAfter: end)
private let chain = authority.signingChain(
  serialNumber: 1, randomBytes: [UInt8](repeating: 2, count: 48), notBefore: start, notAfter: end)
private let verifier = try? ReceiptVerifier(
  SignedDataConfiguration(profile: .development, anchors: [authority.root], unsignedEnvironments: [.xcode]))

private func judge(_ text: String) {
  guard let verifier else { preconditionFailure("a development configuration may accept Xcode") }
  let now = Timestamp(seconds: 1_795_000_000)
  _ = ReceiptForm(text)
  let verdict = verifier.verifyAppReceipt(text, expecting: SignedDataExpectations(), at: now)
  precondition(verdict.checks.count == ReceiptCheck.allCases.count)
  precondition(verdict.isValid == (verdict.failure == nil))
  if let verified = verdict.verified { _ = AppStoreEvidence.purchases(of: verified) }
}
