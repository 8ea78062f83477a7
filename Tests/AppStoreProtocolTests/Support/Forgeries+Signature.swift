import AppStoreProtocol
import Cryptography
import PaymentPrimitives
import SigningAuthorities
import StrictJSON
import TestFixtures

private let parts = TestAppStore.chain.sign(TestAppStore.transaction).split(separator: ".").map(String.init)
private let signature = Base64URL.decode(parts[2]) ?? []

private func signedWith(_ bytes: [UInt8]) -> String { parts[0] + "." + parts[1] + "." + Base64URL.encode(bytes) }

private func withPayload(_ changes: [(String, JSONValue?)]) -> String {
  parts[0] + "." + Base64URL.encode(TestAppStore.transaction.with(changes).bytes) + "." + parts[2]
}

private let wrongTransaction = signedWith([UInt8](repeating: 1, count: 64))
private let expired = ChainRecipe { $0.leaf.notAfter = TestAppStore.now - .days(10) }.chain

extension Forgery {
  static let ofSignature: [Forgery] = [
    Forgery(
      "another product", .signature, code: .invalidSignature,
      token: withPayload([("productId", .string("com.example.coins6000"))])),
    Forgery("another quantity", .signature, code: .invalidSignature, token: withPayload([("quantity", .integer(10))])),
    Forgery("another token", .signature, code: .invalidSignature, token: withPayload([("appAccountToken", nil)])),
    Forgery("a member more", .signature, code: .invalidSignature, token: withPayload([("note", .string("x"))])),
    Forgery(
      "a signature of zeros (A3)", .signature, code: .invalidSignature,
      token: signedWith([UInt8](repeating: 0, count: 64))),
    Forgery(
      "a signature of ones (A3)", .signature, code: .invalidSignature,
      token: signedWith([UInt8](repeating: 0xFF, count: 64))),
    Forgery(
      "r and s exchanged (A3)", .signature, code: .invalidSignature,
      token: signedWith(Array(signature[32...] + signature[..<32]))),
    Forgery("63 bytes (A3)", .signature, code: .invalidSignature, token: signedWith(signature.dropLast())),
    Forgery("65 bytes (A3)", .signature, code: .invalidSignature, token: signedWith([0] + signature)),
    Forgery("96 bytes (A3)", .signature, code: .invalidSignature, token: signedWith(signature + signature.prefix(32))),
    Forgery(
      "the signature as DER (A3)", .signature, code: .invalidSignature,
      token: signedWith(ECDSASignature(raw: signature, curve: .p256)?.der ?? [])),
    Forgery(
      "the header of another leaf", .signature, code: .invalidSignature,
      token: CompactJWS.token(
        header: TestAppStore.header([], ChainRecipe().chain), payload: TestAppStore.transaction.bytes
      ) { _ in signature }),
  ]

  static let ofNotification: [Forgery] = [
    Forgery(
      "a forged transaction inside", .nested, code: .invalidNestedData,
      token: TestAppStore.chain.sign(TestAppStore.notification(transaction: wrongTransaction)), kind: .notification),
    Forgery(
      "a transaction of another app inside (A4)", .nested, code: .invalidNestedData,
      token: TestAppStore.chain.sign(
        TestAppStore.notification(
          transaction: TestAppStore.chain.sign(
            TestAppStore.transaction.with([("bundleId", .string("com.example.other"))])))),
      kind: .notification),
    Forgery(
      "a transaction of an attacker inside (A2)", .nested, code: .invalidNestedData,
      token: TestAppStore.chain.sign(
        TestAppStore.notification(
          transaction: ChainRecipe { $0.leafSigner = $0.leafKey }.chain.sign(TestAppStore.transaction))),
      kind: .notification),
    Forgery(
      "no token inside", .nested, code: .invalidNestedData,
      token: TestAppStore.chain.sign(TestAppStore.notification(transaction: "signed_transaction_info_value")),
      kind: .notification),
    Forgery(
      "a transaction as renewal information inside", .nested, code: .invalidNestedData,
      token: TestAppStore.chain.sign(
        TestAppStore.notification(renewalInfo: TestAppStore.chain.sign(TestAppStore.transaction))),
      kind: .notification),
    Forgery(
      "a good transaction in a forged notification", .signature, code: .invalidSignature,
      token: TestAppStore.chain.sign(TestAppStore.notification()).split(separator: ".").dropLast().joined(
        separator: ".") + "."
        + Base64URL.encode([UInt8](repeating: 1, count: 64)), kind: .notification),
    Forgery(
      "no date, nothing inside, and an expired leaf", .validity, code: .expired,
      token: expired.sign(TestAppStore.notification(transaction: nil).with([("signedDate", nil)])),
      kind: .notification),
    Forgery(
      "no date, and an expired leaf at the date of what is inside", .validity, code: .expired,
      token: expired.sign(TestAppStore.notification().with([("signedDate", nil)])), kind: .notification),
    Forgery(
      "another app outside (A4)", .appIdentifier, code: .invalidAppIdentifier,
      token: TestAppStore.chain.sign(
        TestAppStore.notification().with([
          ("data", .members([("bundleId", .string("com.example.other")), ("environment", .string("Production"))]))
        ])), kind: .notification),
    Forgery(
      "a notification that names no app (A4)", .appIdentifier, code: .invalidAppIdentifier,
      token: TestAppStore.chain.sign(TestAppStore.notification().with([("data", nil)])), kind: .notification),
  ]
}
