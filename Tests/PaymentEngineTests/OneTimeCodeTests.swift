import Cryptography
import PaymentEngine
import PaymentPrimitives
import Testing

@Suite struct `A one-time code` {
  private let secret = Secret(Array("12345678901234567890".utf8))

  @Test func `is that of RFC 6238, appendix B, in its last six digits`() {
    for (seconds, code) in [
      (59, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
      (2_000_000_000, "279037"), (20_000_000_000, "353130"),
    ] as [(Int64, String)] {
      #expect(OneTimeCode.text(secret, step: OneTimeCode.step(at: Timestamp(seconds: seconds))) == code)
    }
  }

  @Test func `has a secret of its account, sign-in and installation, in Base32`() {
    let installation = Secret([UInt8](repeating: 1, count: 32))
    let made = OneTimeCode.secret(of: "lin", salt: "00", installation: installation)
    #expect(made.count == 20 && made == OneTimeCode.secret(of: "lin", salt: "00", installation: installation))
    #expect(made != OneTimeCode.secret(of: "ann", salt: "00", installation: installation))
    #expect(made != OneTimeCode.secret(of: "lin", salt: "01", installation: installation))
    #expect(made != OneTimeCode.secret(of: "lin", salt: "00", installation: Secret([UInt8](repeating: 2, count: 32))))
    #expect(OneTimeCode.base32(secret) == "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
  }
}
