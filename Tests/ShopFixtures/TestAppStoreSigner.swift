package import AppStoreProtocol
package import PaymentPrimitives
package import SigningAuthorities
package import StrictJSON

/// What an App Store signs for the shop; `change` edits the payload.
package struct TestAppStoreSigner: Sendable {
  package static let authority = AppleShapedAuthority(
    name: "Engine Tests", randomBytes: Array(repeating: 7, count: 48), notBefore: EngineFixture.noon - .days(365),
    notAfter: EngineFixture.noon + .days(3650))
  package static let signing = chain(of: authority)
  /// Signs in the same way, under an untrusted root.
  package static let stranger = chain(
    of: AppleShapedAuthority(
      name: "Stranger", randomBytes: Array(repeating: 8, count: 48), notBefore: EngineFixture.noon - .days(365),
      notAfter: EngineFixture.noon + .days(3650)))

  /// A verifier that trusts only this store.
  package static func verifier(_ limits: SignedDataLimits = SignedDataLimits()) throws -> SignedDataVerifier {
    try SignedDataVerifier(SignedDataConfiguration(profile: .development, anchors: [authority.root]), limits: limits)
  }

  private static func chain(of authority: AppleShapedAuthority) -> SigningChain {
    authority.signingChain(
      serialNumber: 7, randomBytes: Array(repeating: 9, count: 32), notBefore: EngineFixture.noon - .days(30),
      notAfter: EngineFixture.noon + .days(700))
  }

  private let now: Timestamp
  package var signing = TestAppStoreSigner.signing

  package init(at now: Timestamp = EngineFixture.noon) { self.now = now }

  /// A signed transaction as a phone has it.
  package func transaction(
    _ id: String, of product: String = "com.example.coins100", token: String? = nil, type: String = "Consumable",
    _ change: (inout [String: JSONValue]) -> Void = { _ in }
  ) -> String {
    var payload: [String: JSONValue] = [
      "transactionId": .string(id), "originalTransactionId": .string(id), "bundleId": "com.example.shop",
      "productId": .string(product), "quantity": .integer(1), "purchaseDate": .integer(now.milliseconds),
      "originalPurchaseDate": .integer(now.milliseconds), "signedDate": .integer(now.milliseconds),
      "type": .string(type), "inAppOwnershipType": "PURCHASED", "environment": "Production",
      "transactionReason": "PURCHASE", "deviceVerification": "c29tZXRoaW5n",
      "deviceVerificationNonce": "0f3b9d3c-1111-4222-8333-444455556666",
    ]
    payload["appAccountToken"] = token.map { .string($0) }
    change(&payload)
    return signing.sign(.object(payload.sorted { $0.key < $1.key }.map { JSONMember($0.key, $0.value) }))
  }

  /// The posted body of a notification about a transaction.
  package func notification(
    _ uuid: String, _ type: String = "ONE_TIME_CHARGE", about transaction: String?,
    bundle: AppIdentity = EngineFixture.identity, version: String = "2.0",
    environment: String = "Production"
  ) -> JSONValue {
    let signed = signing.sign(
      .members([
        ("notificationType", .string(type)), ("notificationUUID", .string(uuid)), ("version", .string(version)),
        ("signedDate", .integer(now.milliseconds)),
        (
          "data",
          .members([
            ("environment", .string(environment)), ("bundleId", .string(bundle.bundleId)),
            ("appAppleId", bundle.appAppleId.map { .integer($0) }),
            ("signedTransactionInfo", transaction.map(JSONValue.string)),
          ])
        ),
      ]))
    return .members([("signedPayload", .string(signed))])
  }
}
