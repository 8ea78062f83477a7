import AppStoreProtocol
import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON

extension ControlRoutes {
  private static let ownerQuery: [(name: String, meaning: String)] = [
    ("account", "whose"), ("bundleId", "in which app"),
    ("deviceVerificationId?", "the UUID of the device that asks: its proof is signed then"),
  ]

  static let purchases: [ControlRoute] = [
    ControlRoute(
      "POST", "/purchases", summary: "Buys, as a device does after the customer has said yes.",
      takes: [
        ("account", "who buys"), ("bundleId", "in which app"), ("productId", "what"),
        ("quantity?", "1 to 10, otherwise 1"), ("appAccountToken?", "the UUID that StoreKit 2 hands over"),
        ("applicationUsername?", "the text that StoreKit 1 hands over: kept only if it is a UUID"),
        ("deviceVerificationId?", "the UUID of the device"),
        ("interface?", "storeKit1 or storeKit2, otherwise storeKit2"),
        ("offerIdentifier?", "the offer that the customer uses"),
        ("offerSignature?", "of a promotional offer, first form: keyIdentifier, nonce, timestamp, signature"),
        ("offerJWS?", "of a promotional offer, second form"),
        ("introductoryOfferEligibility?", "the team's word on the introductory offer, as a JWS"),
      ]
    ) { call throws(CodedError<SimulatorErrorCode>) in
      let purchase = try await call.store.purchases.purchase(try call.read(SimulatedPurchaseRequest.init(_:)))
      return call.answer(
        .members([
          ("outcome", .string(purchase.outcome.rawValue)), ("transaction", purchase.transaction.json),
          ("signedTransaction", .string(purchase.signedTransaction)),
        ]), status: purchase.outcome == .charged ? 201 : 200)
    },
    ControlRoute(
      "GET", "/transactions", summary: "All transactions as they came.",
      takes: [("account?", "of one account"), ("bundleId?", "of one app")] + ControlCall.pageQuery
    ) { call throws(CodedError<SimulatorErrorCode>) in
      let account = call.target["account"].map { AppleAccountIdentifier($0) }
      let list = await call.store.transactions(account: account, bundleId: call.target["bundleId"])
      return try call.page("transactions", of: list, id: { $0.id.text }, json: { $0.json })
    },
    ControlRoute(
      "GET", "/transactions/{transactionId}", summary: "A transaction, signed as it stands now.",
      takes: [("deviceVerificationId?", "the UUID of the device that asks")]
    ) { call throws(CodedError<SimulatorErrorCode>) in
      let device = try call.readQuery { fields throws(JSONFieldError) in
        try fields.optionalUUID("deviceVerificationId")
      }
      return call.answer(try await call.store.signedTransaction(call.transactionId(), for: device).json)
    },
    ControlRoute(
      "POST", "/transactions/{transactionId}/refund", summary: "Pays back all that is left, or a part.",
      takes: [
        ("percentage?", "100000 is the whole payment"), ("revocationReason?", "0 other, 1 an issue with the app"),
      ]
    ) { call throws(CodedError<SimulatorErrorCode>) in
      let (percentage, reason) = try call.read { fields throws(JSONFieldError) in
        (
          try fields.optionalInteger("percentage"),
          RevocationReason(rawValue: try fields.optionalInteger("revocationReason", in: 0...1) ?? 0)
        )
      }
      let refunded = try await call.store.refunds.refund(
        call.transactionId(), percentage: percentage, reason: reason ?? .refundedForOtherReason)
      return call.answer(refunded.json)
    },
    ControlRoute(
      "POST", "/transactions/{transactionId}/finish", summary: "Finishes a transaction, as its device does.",
      takes: [("account", "whose"), ("bundleId", "in which app")]
    ) { call throws(CodedError<SimulatorErrorCode>) in
      try await call.store.purchases.finish(call.transactionId(), of: try call.read(AppOwner.init(_:)))
      return HTTPResponse(status: 204)
    },
    ControlRoute(
      "GET", "/unfinished", summary: "What a device finds unfinished, oldest first, signed.", takes: ownerQuery
    ) { call throws(CodedError<SimulatorErrorCode>) in
      let (owner, device) = try call.readOwnerAndDevice()
      let list = try await call.store.unfinishedTransactions(of: owner, for: device)
      return call.answer(.members([("transactions", .array(list.prefix(ControlLimits.pageMax).map(\.json)))]))
    },
    ControlRoute("GET", "/app-transaction", summary: "The app transaction of an account's app.", takes: ownerQuery) {
      call throws(CodedError<SimulatorErrorCode>) in
      let (owner, device) = try call.readOwnerAndDevice()
      let signed = try await call.store.purchases.appTransaction(of: owner, for: device)
      return call.answer(.members([("signedAppTransaction", .string(signed))]))
    },
    ControlRoute(
      "GET", "/charges", summary: "The truth: who was charged, and what was paid back.", takes: ControlCall.pageQuery
    ) { call throws(CodedError<SimulatorErrorCode>) in
      try call.page("charges", of: await call.store.charges(), id: { $0.transaction.id.text }, json: { $0.json })
    },
  ]
}

extension ControlCall {
  fileprivate func readOwnerAndDevice() throws(CodedError<SimulatorErrorCode>) -> (AppOwner, AppStoreUUID?) {
    try readQuery { fields throws(JSONFieldError) in
      (try AppOwner(fields), try fields.optionalUUID("deviceVerificationId"))
    }
  }
}

extension SimulatedPurchaseRequest {
  fileprivate init(_ fields: JSONFields) throws(JSONFieldError) {
    self.init(
      owner: try AppOwner(fields), product: StoreProductIdentifier(try fields.string("productId", bytesMax: 100)))
    quantity = Int(try fields.optionalInteger("quantity", in: -1_000_000...1_000_000) ?? 1)
    // Rule AS-BUY-6: a user name that is no UUID is dropped.
    let username = try fields.optionalString("applicationUsername")
    appAccountToken = try fields.optionalUUID("appAccountToken") ?? username.flatMap { AppStoreUUID($0) }
    deviceVerificationId = try fields.optionalUUID("deviceVerificationId")
    offerIdentifier = try fields.optionalString("offerIdentifier", bytesMax: 100)
    offerSignature = try SimulatedOfferSignature.read(fields)
    introductoryOfferEligibility = try fields.optionalString(
      "introductoryOfferEligibility", bytesMax: SimulatedOfferSignature.jwsBytesMax)
    interface =
      try fields.optionallyConverted("interface", "storeKit1 or storeKit2", Interface.init(rawValue:)) ?? .storeKit2
  }
}

extension SignedSimulatedTransaction {
  fileprivate var json: JSONValue {
    .members([
      ("transaction", transaction.json), ("orderId", transaction.isCharge ? .string(transaction.orderId) : nil),
      ("signedTransaction", .string(signedTransaction)),
    ])
  }
}
