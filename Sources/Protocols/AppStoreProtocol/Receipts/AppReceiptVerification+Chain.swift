import Cryptography
import PaymentPrimitives

// The certificates of a receipt: known chains and the examination of unknown ones.

extension AppReceiptVerification {
  /// The certificate chain of a receipt's signer.
  mutating func knownChain(_ signed: CMSSignedData) throws(FailedReceiptCheck) -> KnownReceiptChain {
    let key = HeaderBytes(
      joining: signed.certificates.map(\.der) + [signed.signerIssuer, signed.signerSerialNumber])
    if let known = verifier.memory.known(key, at: now) {
      journal.pass(ReceiptCheck.ofChain)
      return known
    }
    var signer = signed.certificates.first {
      $0.issuer == signed.signerIssuer && $0.serialNumber == signed.signerSerialNumber
    }
    let isNamed = signer != nil
    if verifier.leftOut(.signer) { signer = signer ?? signed.certificates.first }
    try journal.check(
      .signer, .signerMissing, holds: isNamed,
      "None of \(signed.certificates.count) certificates has its issuer and serial.")
    guard let signer else { throw FailedReceiptCheck(.signer, .signerMissing, details: "There are no certificates.") }
    let intermediate = signed.certificates.first { $0.subject == signer.issuer && $0.der != signer.der }
    guard let intermediate else {
      throw FailedReceiptCheck(
        .certificates, .certificateUnusable, details: "The certificate that certifies the signer did not come along.")
    }
    let root =
      signed.certificates.first { $0.subject == intermediate.issuer && $0.der != intermediate.der }?.der
      ?? AppleRootCertificates.receiptRoot
    let (facts, leaf, fingerprint) = try ReceiptEnvelope.examine(
      [signer.der, intermediate.der, root], key, from: sender, at: now, verifier: verifier, journal: &journal)
    let known = KnownReceiptChain(key: key, facts: facts, signer: leaf, intermediate: intermediate.der)
    verifier.memory.remember(known, fingerprint, at: now)
    return known
  }
}
