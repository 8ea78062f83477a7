import AppStoreProtocol
import Cryptography
import PaymentPrimitives
import SigningAuthorities
import StrictJSON
import TestFixtures
import Testing

@Suite struct `Evidence from the App Store` {
  private let app: AppIdentifier = "game"

  private func verified(_ changes: [(String, JSONValue?)]) throws -> VerifiedSignedData<JWSTransactionDecodedPayload> {
    let token = TestAppStore.chain.sign(TestAppStore.transaction.with(changes))
    return try #require(
      try TestAppStore.verifier().verifyTransaction(
        token, expecting: TestAppStore.expectations, at: TestAppStore.now
      ).verified)
  }

  private func error(_ changes: [(String, JSONValue?)]) throws -> CodedError<AppStoreEvidenceErrorCode>? {
    let transaction = try verified(changes)
    do {
      _ = try AppStoreEvidence.payment(of: transaction, app: app)
      return nil
    } catch { return error }
  }

  @Test(arguments: [
    "transactionId", "originalTransactionId", "productId", "type", "quantity", "purchaseDate", "signedDate",
  ]) func `is refused without a field that a payment needs, and the error names the field`(_ field: String) throws {
    let error = try error([(field, nil)])
    #expect(error?.code == .missingField && error?.details.contains(field) == true)
  }

  /// S13: a quantity below one, or an id that is not a number, is a mistake or an attack.
  @Test(
    arguments: [
      ("quantity", .integer(0)), ("quantity", .integer(-1)), ("quantity", .integer(1 << 40)),
      ("transactionId", .string("")),
      ("transactionId", .string("12a")), ("transactionId", .string("-1")), ("transactionId", .string(" 1")),
      ("transactionId", .string(String(repeating: "1", count: 33))), ("originalTransactionId", .string("１")),
      ("productId", .string("")), ("productId", .string(String(repeating: "p", count: 256))),
      ("purchaseDate", .integer(0)),
      ("purchaseDate", .integer(-5)),
    ] as [(String, JSONValue)]) func `is refused with an impossible value, and the error names the field (S13)`(
      _ field: String, _ value: JSONValue
    ) throws
  {
    let error = try error([(field, value)])
    #expect(error?.code == .absurdField && error?.details.contains(field) == true)
  }

  @Test func `is refused with a revocation percentage out of range, and with an unknown product type`() throws {
    let date = JSONValue.integer(TestAppStore.signedDate.milliseconds)
    for percentage in [-1, 100_001] {
      let error = try error([("revocationDate", date), ("revocationPercentage", .integer(percentage))])
      #expect(error?.code == .absurdField)
    }
    #expect(try error([("type", .string("Rental"))])?.code == .unknownProductType)
  }

  @Test func `is the payment that was signed`() throws {
    let payment = try AppStoreEvidence.payment(of: verified([("quantity", .integer(3))]), app: app)
    #expect(
      payment.key
        == PaymentKey(app: app, store: .appStore, environment: .simulated, transaction: "2000000943569033"))
    #expect(payment.storeProduct == "com.example.coins60" && payment.kind == .consumable && payment.quantity == 3)
    #expect(payment.originalTransaction == "2000000943569033")
    #expect(
      payment.purchaseDate == TestAppStore.signedDate - .seconds(1) && payment.signedDate == TestAppStore.signedDate)
    #expect(payment.originalPurchaseDate == payment.purchaseDate && payment.expiresDate == nil)
    #expect(payment.token == OrderIdentifier("7e3fb20b-4cdb-47cc-936d-99d65f608138"))
    #expect(payment.ownership == .purchased && payment.appTransaction == "704602545134226826")
    #expect(payment.price == StatedPrice(milliunits: 6000, currency: "CNY"))
    #expect(payment.revocation == nil && !payment.isRenewal && !payment.isUpgraded)
  }

  @Test func `states whether it is a renewal, a refund or a family member's`() throws {
    let date = TestAppStore.signedDate
    let payment = try AppStoreEvidence.payment(
      of: verified([
        ("type", .string("Auto-Renewable Subscription")), ("transactionReason", .string("RENEWAL")),
        ("webOrderLineItemId", .string("34")), ("expiresDate", .integer(date.milliseconds + 1000)),
        ("inAppOwnershipType", .string("FAMILY_SHARED")), ("isUpgraded", .bool(true)),
        ("appAccountToken", .string("alice")),
        ("revocationDate", .integer(date.milliseconds)), ("revocationReason", .integer(1)),
        ("revocationType", .string("REFUND_PRORATED")), ("revocationPercentage", .integer(50_000)), ("price", nil),
      ]), app: app)
    #expect(payment.kind == .autoRenewable && payment.isRenewal && payment.isUpgraded)
    #expect(payment.webOrderLineItem == "34" && payment.expiresDate == date + .seconds(1))
    #expect(payment.ownership == .familyShared)
    #expect(payment.token == nil, "a token that is not a UUID is not ours")
    #expect(payment.revocation == Revocation(date: date, reason: 1, type: "REFUND_PRORATED", percentage: 50_000))
    #expect(payment.price == nil)
    let leased = try AppStoreEvidence.payment(of: verified([("inAppOwnershipType", .string("LEASED"))]), app: app)
    #expect(leased.ownership == .unknown("LEASED"))
    let unsaid = try AppStoreEvidence.payment(of: verified([("inAppOwnershipType", nil)]), app: app)
    #expect(unsaid.ownership == .unknown(""))
  }

  @Test(arguments: [
    ("Consumable", ProductKind.consumable), ("Non-Consumable", .nonConsumable),
    ("Auto-Renewable Subscription", .autoRenewable),
    ("Non-Renewing Subscription", .nonRenewing),
  ]) func `is of one of four kinds`(_ type: String, _ kind: ProductKind) throws {
    let end = TestAppStore.signedDate + .days(30)
    let said: [(String, JSONValue?)] = [("type", .string(type)), ("expiresDate", .integer(end.milliseconds))]
    #expect(try AppStoreEvidence.payment(of: verified(said), app: app).kind == kind)
  }

  @Test func `of a subscription without an end is refused: it would never end`() {
    let error = #expect(throws: CodedError<AppStoreEvidenceErrorCode>.self) {
      try AppStoreEvidence.payment(of: verified([("type", .string("Auto-Renewable Subscription"))]), app: app)
    }
    #expect(error?.code == .missingField)
  }
}

@Suite struct `A device proof` {
  private let device = "5F6A1B2C-1111-4222-8333-ABCDEFABCDEF"
  private let nonce = "48ccfa42-7431-4f22-9908-7e88983e105a"

  private func payload(_ proof: String?, _ nonce: String?) -> JWSTransactionDecodedPayload {
    var payload = JWSTransactionDecodedPayload()
    payload.deviceVerification = proof
    payload.deviceVerificationNonce = nonce
    return payload
  }

  /// SHA-384 over both UUIDs in lower case, nonce first, computed with Python's hashlib.
  private let proof = "m+bfF6pt9GfgZhgvpRTYWTzpDs9sEcqy9pSE2fusY/ryXZolO0qeQh//CcOnomT6"

  @Test func `of another device, or damaged, differs`() {
    let good = payload(proof, nonce)
    for other in ["6F6A1B2C-1111-4222-8333-ABCDEFABCDEF", "", "no id", "5F6A1B2C111142228333ABCDEFABCDEF", nonce] {
      #expect(AppStoreEvidence.deviceVerification(of: good, deviceVerificationId: other) == .differs)
    }
    for damaged in [payload("AAAA", nonce), payload("?", nonce), payload(proof, device), payload(proof, "x")] {
      #expect(AppStoreEvidence.deviceVerification(of: damaged, deviceVerificationId: device) == .differs)
    }
  }

  @Test func `is missing without an id to compare, and absent from data that no device sent`() {
    #expect(AppStoreEvidence.deviceVerification(of: payload(proof, nonce), deviceVerificationId: nil) == .missing)
    for none in [payload(nil, nil), payload(nil, nonce), payload(proof, nil)] {
      #expect(AppStoreEvidence.deviceVerification(of: none, deviceVerificationId: device) == .notDeviceEvidence)
    }
  }

  @Test func `fits the device that it was made for, in upper and lower case`() {
    for id in [device, device.lowercased()] {
      for nonce in [nonce, nonce.uppercased()] {
        #expect(AppStoreEvidence.deviceVerification(of: payload(proof, nonce), deviceVerificationId: id) == .fits)
      }
    }
  }
}
