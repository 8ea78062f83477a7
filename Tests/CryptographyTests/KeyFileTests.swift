import Cryptography
import PaymentPrimitives
import SigningAuthorities
import Testing

@Suite struct `A file given as an RSA private key` {
  private func code(_ file: [UInt8]) -> CryptographyErrorCode? {
    do throws(CodedError<CryptographyErrorCode>) {
      _ = try RSAPrivateKey(file: Secret(file))
      return nil
    } catch { return error.code }
  }

  @Test func `that is of another kind is refused with that kind's error`() throws {
    let key = RSAKeysMadeForTests.first
    let certificate = certificateMadeForTests.der
    let container = try #require(Base64.decode(KeyFilesMadeForTests.container))
    let cases: [(String, [UInt8], CryptographyErrorCode)] = [
      (
        "certificate in PEM", Array(PEM.text(label: "CERTIFICATE", bytes: certificate).utf8),
        .certificateInsteadOfPrivateKey
      ),
      ("certificate in DER", certificate, .certificateInsteadOfPrivateKey),
      (
        "public key in PEM", Array(PEM.text(label: "PUBLIC KEY", bytes: key.publicKey.spki).utf8),
        .publicKeyInsteadOfPrivateKey
      ),
      ("public key in DER", key.publicKey.spki, .publicKeyInsteadOfPrivateKey),
      ("locked key", Array(KeyFilesMadeForTests.lockedPKCS8.utf8), .encryptedKey),
      ("key locked in the old way", Array(KeyFilesMadeForTests.lockedSEC1.utf8), .encryptedKey),
      ("PKCS#12", container, .containerInsteadOfKey),
      ("key on a curve, SEC 1", Array(KeysMadeForTests.sec1.utf8), .notAnRSAKey),
      ("key on a curve, PKCS#8", Array(KeysMadeForTests.pkcs8.utf8), .notAnRSAKey),
      ("nothing", [], .malformedPEM), ("a word", Array("apiclient_key.pem".utf8), .malformedPEM),
      ("two keys", Array((RSAKeysMadeForTests.pem(key) + RSAKeysMadeForTests.pem(key)).utf8), .malformedKey),
      ("broken Base64", Array("-----BEGIN PRIVATE KEY-----\nMII*\n-----END PRIVATE KEY-----\n".utf8), .malformedPEM),
      ("no key inside", Array("-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n".utf8), .malformedKey),
      ("half a key", key.pkcs8.withBytes { Array($0.dropLast(100)) }, .malformedKey),
      ("a key and more", key.pkcs8.withBytes { Array($0) + [0] }, .malformedKey),
    ]
    for (name, file, expected) in cases {
      #expect(code(file) == expected, "\(name)")
    }
  }

  @Test func `with lost or escaped line breaks is read`() throws {
    let pem = RSAKeysMadeForTests.pem(RSAKeysMadeForTests.first)
    let forms = [
      pem, pem.replacing("\n", with: "\\n"), pem.replacing("\n", with: "\\r\\n"), pem.replacing("\n", with: " "),
      pem.replacing("\n", with: ""), pem.replacing("\n", with: "\r\n"), "\n\n  " + pem + "  \n",
      "Bag Attributes\n  friendlyName: x\n" + pem,
    ]
    for form in forms {
      let read = try RSAPrivateKey(file: Secret(form.utf8))
      #expect(read.publicKey == RSAKeysMadeForTests.first.publicKey)
    }
  }

  @Test func `with a key that is too short is refused`() throws {
    let short = try #require(Base64.decode(Self.key1024MadeForTests))
    #expect(code(short) == .unsupportedRSAKeySize)
  }

  private static let key1024MadeForTests = #"""
    MIICXAIBAAKBgQC5EHyN/BlCf0FuK8VqIGYR3z9iTCcgg1BD3YS8UN/pWZYSWHLRHUN1425EQoBVUZtw8yiDokqgNc+rPLH/\#
    ZtJ/uL0YvTvFyHED8cNuO6tw8R4R/TlSNrdr+0Cq50FysyozaEPVFMCPjsd1ACTFIyphqa+Dg7WBuLIzshKcKthD9wIDAQAB\#
    AoGAbNAazEk8ePLl/+dQrjPakAuZ8ywfnWhYW272StuqrEP2j1beO8JfFgPho9UOLBxNrz3pxmw4QLcjIeYQKsHEZj9J2mmN\#
    3WnayN9z2XLW7vQlbveUY1Xc8fTPNniq5EZuOLlwNdHB1+lh0CfXRfrPpyhUZE02LU73kZ5x/yxYKLECQQDyF6du1/TVgH4s\#
    svVyn+yqsRgvWssUQVkvgi/lqw3IyWxwidjPCBMB+ECwG6gz0v6NtAFDItWyCoZhGKOnLIU1AkEAw7IlnUJu05uIxWRHr3cM\#
    rAPoiaUb2p3h41+yMBHMG0wfIQQlGnlLwIz4zXfmpNEzx/+foeItf/jzEqL0+k0l+wJAB2vUNSCnn7fdpk8iGQ5v+deN7z2w\#
    RgGu0zcBct/of0Q1b8m5/La5pnDOwtdGM7h/FybydvVlaZzK+8T+l0xVFQJAeCVrin065ZfcBLRofoWstf9ASSGhVDsScDJU\#
    h8aldSzq/643yWUm6PSj3CH87Luz+top+42NOcByG8MIfJPY+QJBANAegX3b9BApvpwVPcmnbKSu1iCaHA3hatNWC9IpnxYp\#
    EtHUlhpAWEKqUtjq4fhgBQElBxT9YiPtv4bZtSb/0tg=
    """#
}

@Suite struct `A file given as an RSA public key` {
  private func code(_ file: [UInt8]) -> CryptographyErrorCode? {
    do throws(CodedError<CryptographyErrorCode>) {
      _ = try RSAPublicKey(file: file)
      return nil
    } catch { return error.code }
  }

  @Test func `that is of another kind is refused with that kind's error`() throws {
    let key = RSAKeysMadeForTests.first
    let container = try #require(Base64.decode(KeyFilesMadeForTests.container))
    let certificate = Array(PEM.text(label: "CERTIFICATE", bytes: certificateMadeForTests.der).utf8)
    #expect(code(certificate) == .certificateInsteadOfPublicKey)
    #expect(code(Array(RSAKeysMadeForTests.pem(key).utf8)) == .privateKeyInsteadOfPublicKey)
    #expect(code(Array(KeyFilesMadeForTests.lockedPKCS8.utf8)) == .privateKeyInsteadOfPublicKey)
    #expect(code(Array(KeysMadeForTests.sec1.utf8)) == .privateKeyInsteadOfPublicKey)
    #expect(code(container) == .containerInsteadOfKey)
    #expect(code(Array(KeysMadeForTests.spki.utf8)) == .notAnRSAKey)
    #expect(code(key.publicKey.spki + [0]) == .malformedKey)
    #expect(code(Array("PUB_KEY_ID_0119000072912025".utf8)) == .malformedPEM)
  }
}

private let certificateMadeForTests = X509CertificateBuilder(
  subject: X509NameParts(commonName: "Made for tests"), serialNumber: [1], notBefore: Timestamp(seconds: 0),
  notAfter: Timestamp(seconds: 1)
).selfSigned(by: RSAKeysMadeForTests.first)
