import Cryptography
import PaymentPrimitives
import SigningAuthorities
import Testing

/// RSA keys made from seeds. One takes some tenths of a second, so all tests share them.
enum RSAKeysMadeForTests {
  static let first = RSAPrivateKey(randomBytes: [UInt8](repeating: 1, count: 32))
  static let second = RSAPrivateKey(randomBytes: [UInt8](repeating: 2, count: 32))

  static func pem(_ key: RSAPrivateKey) -> String {
    PEM.text(label: "PRIVATE KEY", bytes: key.pkcs8.withBytes { Array($0) })
  }
}

@Suite struct `An RSA signature` {
  private let key = RSAKeysMadeForTests.first

  @Test func `is refused after any change, of itself or of the text, and by another key`() {
    let signature = key.signature(for: "text".utf8)
    #expect(key.publicKey.isValid(signature, for: "text".utf8))
    #expect(!key.publicKey.isValid(signature, for: "texT".utf8))
    #expect(!key.publicKey.isValid(signature, for: "text".utf8, digest: .sha384))
    #expect(!RSAKeysMadeForTests.second.publicKey.isValid(signature, for: "text".utf8))
    for index in stride(from: 0, to: signature.count, by: 17) {
      var changed = signature
      changed[index] ^= 1
      #expect(!key.publicKey.isValid(changed, for: "text".utf8))
    }
  }

  @Test func `of another length is refused`() {
    let signature = key.signature(for: "text".utf8)
    for wrong in [[], [0] + signature, Array(signature.dropLast()), signature + signature] {
      #expect(!key.publicKey.isValid(wrong, for: "text".utf8))
    }
  }

  @Test func `of one text is always the same, because PKCS#1 v1.5 uses no random numbers`() {
    #expect(key.signature(for: "text".utf8) == key.signature(for: "text".utf8))
    #expect(key.signature(for: "text".utf8).count == 256)
    #expect(key.signature(for: "text".utf8) != key.signature(for: "text".utf8, digest: .sha512))
  }
}

@Suite struct `An RSA key` {
  private let key = RSAKeysMadeForTests.first

  @Test func `made from a seed is the same each time, and differs for another seed`() {
    let again = RSAPrivateKey(randomBytes: [UInt8](repeating: 1, count: 32))
    #expect(again.publicKey == key.publicKey)
    #expect(key.publicKey.bitCount == 2048)
    #expect(RSAKeysMadeForTests.second.publicKey != key.publicKey)
  }

  @Test func `is the same after it is written and read again`() throws {
    #expect(try RSAPrivateKey(der: key.pkcs8).publicKey == key.publicKey)
    #expect(try RSAPrivateKey(file: key.pkcs8).publicKey == key.publicKey)
    #expect(try RSAPublicKey(spki: key.publicKey.spki) == key.publicKey)
    #expect(try RSAPublicKey(file: key.publicKey.spki) == key.publicKey)
    let pem = PEM.text(label: "PUBLIC KEY", bytes: key.publicKey.spki)
    #expect(try RSAPublicKey(file: Array(pem.utf8)) == key.publicKey)
  }

  @Test func `with numbers that do not belong together is refused when it is read`() throws {
    // The private exponent is in the middle of the file. The modulus and the primes stay as they are.
    let der = key.pkcs8.withBytes { Array($0) }
    var refused = 0
    for place in stride(from: 40, to: der.count - 8, by: 97) {
      var changed = der
      changed[place] ^= 0x40
      do throws(CodedError<CryptographyErrorCode>) {
        let read = try RSAPrivateKey(der: Secret(changed))
        // A key that is accepted must make signatures that its own public key accepts.
        #expect(read.publicKey.isValid(read.signature(for: "t".utf8), for: "t".utf8))
      } catch {
        refused += 1
      }
    }
    #expect(refused > 0)
  }

  @Test func `is not printed, interpolated or reflected`() {
    #expect("\(key)" == "(RSA private key of 2048 bits)")
    #expect(String(reflecting: key) == "(RSA private key of 2048 bits)")
    #expect(Mirror(reflecting: key).children.isEmpty)
  }

  @Test func `certifies itself, and the certificate contains its public key`() {
    let builder = X509CertificateBuilder(
      subject: X509NameParts(commonName: "Made for tests"), serialNumber: [0x0A, 0xFF],
      notBefore: Timestamp(seconds: 1_700_000_000), notAfter: Timestamp(seconds: 1_800_000_000))
    let certificate = builder.selfSigned(by: key)
    #expect(certificate.rsaPublicKey == key.publicKey)
    #expect(certificate.publicKey == nil, "it is not a key on a curve")
    #expect(certificate.isSigned(by: certificate))
    #expect(certificate.serialNumber == [0x0A, 0xFF])
  }
}

@Suite struct `A short text encrypted by OAEP` {
  private let key = RSAKeysMadeForTests.first

  @Test func `of more than 214 bytes is refused, and one of 214 bytes is accepted`() throws {
    #expect(key.publicKey.oaepBytesMax == 214)
    #expect(key.publicKey.encryptOAEP([UInt8](repeating: 7, count: 215)) == nil)
    for count in [0, 1, 213, 214] {
      let text = [UInt8](repeating: 7, count: count)
      let sealed = try #require(key.publicKey.encryptOAEP(text))
      #expect(key.decryptOAEP(sealed) == text)
    }
  }

  @Test func `is refused by another key and after any change`() throws {
    let sealed = try #require(key.publicKey.encryptOAEP(Array("text".utf8)))
    #expect(RSAKeysMadeForTests.second.decryptOAEP(sealed) == nil)
    #expect(key.decryptOAEP([]) == nil)
    #expect(key.decryptOAEP(Array(sealed.dropLast())) == nil)
    for index in stride(from: 0, to: sealed.count, by: 31) {
      var changed = sealed
      changed[index] ^= 1
      #expect(key.decryptOAEP(changed) == nil)
    }
  }
}
