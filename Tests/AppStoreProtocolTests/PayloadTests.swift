import AppStoreProtocol
import PaymentPrimitives
import StrictJSON
import TestFixtures
import Testing

@Suite struct `A payload` {
  /// Every field of every kind has a value here: a field that reading or writing forgets is noticed.
  static let full: [(String, String, @Sendable (PayloadFields) throws -> JSONValue)] = [
    ("transaction", fullTransaction, { try JWSTransactionDecodedPayload($0).json }),
    ("renewal information", fullRenewalInfo, { try JWSRenewalInfoDecodedPayload($0).json }),
    ("app transaction", fullAppTransaction, { try AppTransaction($0).json }),
    ("notification", fullNotification, { try ResponseBodyV2DecodedPayload($0).json }),
    ("question", fullQuestion, { try DecodedRealtimeRequestBody($0).json }),
  ]

  @Test(arguments: full.indices) func `keeps every field that it states`(_ index: Int) throws {
    let (_, text, reread) = Self.full[index]
    let value = try JSONReader.read(text.utf8)
    #expect(try reread(PayloadFields(value)).sorted == value.sorted)
  }

  /// A field of a wrong type never becomes nil silently.
  @Test(arguments: full.indices) func `refuses a field of a wrong type and names its path`(_ index: Int) throws {
    let (_, text, reread) = Self.full[index]
    let value = try JSONReader.read(text.utf8)
    var seen = 0
    for member in value.object ?? [] {
      for wrong in wrongValues(for: member.value) {
        let changed = value.with([(member.name, wrong)])
        let error = #expect(throws: PayloadProblem.self) { try reread(PayloadFields(changed)) }
        #expect(error?.path.hasPrefix(member.name) == true)
        seen += 1
      }
    }
    #expect(seen > 10)
  }

  private func wrongValues(for value: JSONValue) -> [JSONValue] {
    switch value {
    case .string: [.integer(1), .bool(true), .array([])]
    case .number: [.string("1"), .bool(true), .number("1e3"), .members([])]
    case .bool: [.string("true"), .integer(1)]
    case .array: [.string("x"), .members([]), .array([.number("1.5")])]
    case .object: [.string("x"), .array([])]
    case .null: []
    }
  }

  @Test func `refuses a wrong field deep inside and names its path`() throws {
    let value = try JSONReader.read(
      #"{"advancedCommerceInfo":{"items":[{"SKU":"a"},{"refunds":[{"refundAmount":"5"}]}]}}"#.utf8)
    #expect(
      throws: PayloadProblem(path: "advancedCommerceInfo.items[1].refunds[0].refundAmount", expected: "a whole number")
    ) {
      try JWSTransactionDecodedPayload(PayloadFields(value))
    }
  }

  @Test func `reads null as absent, and rounds fractions of milliseconds down`() throws {
    let value = try JSONReader.read(#"{"price":null,"purchaseDate":1698148900000.75,"originalPurchaseDate":-1.5}"#.utf8)
    let payload = try JWSTransactionDecodedPayload(PayloadFields(value))
    #expect(payload.price == nil && payload.purchaseDate?.milliseconds == 1_698_148_900_000)
    #expect(payload.originalPurchaseDate?.milliseconds == -2)
  }

  @Test func `knows every value of Apple's lists`() {
    #expect(NotificationTypeV2.allCases.count == 24)
    #expect(Subtype.allCases.count == 20)
    for type in NotificationTypeV2.allCases { #expect(KnownOrRaw<NotificationTypeV2>(type.rawValue).known == type) }
    #expect(KnownOrRaw<ProductType>("Auto-Renewable Subscription") == .known(.autoRenewableSubscription))
    #expect(KnownOrRaw<RevocationReason>(0) == .known(.refundedForOtherReason))
    #expect(KnownOrRaw<RevocationReason>(7) == .raw(7) && KnownOrRaw<RevocationReason>(7).rawValue == 7)
  }

  @Test func `is recognized by members that no other kind has`() throws {
    for (text, kind) in [
      (Self.fullTransaction, SignedDataKind.transaction), (Self.fullRenewalInfo, .renewalInfo),
      (Self.fullAppTransaction, .appTransaction), (Self.fullNotification, .notification),
      (Self.fullQuestion, .realtimeRequest),
      (#"{"bundleId":"a","environment":"Sandbox","signedDate":1}"#, .transaction),
      (#"{"environment":"Sandbox","signedDate":1}"#, .renewalInfo),
    ] { #expect(try SignedDataKind.recognized(in: PayloadFields(JSONReader.read(text.utf8))) == kind) }
    #expect(try SignedDataKind.recognized(in: PayloadFields(JSONReader.read("{}".utf8))) == nil)
  }

  @Test(
    .enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"),
    arguments: [
      ("signedTransactionWithRevocation", 0), ("signedRenewalInfo", 1), ("appTransaction", 2),
      ("signedConsumptionRequestNotification", 3), ("signedExternalPurchaseTokenSandboxNotification", 3),
      ("signedSummaryNotification", 3),
    ]) func `keeps every field of Apple's own samples`(_ name: String, _ index: Int) throws
  {
    let value = try Fixtures.json("apple-models/models/\(name).json")
    #expect(try Self.full[index].2(PayloadFields(value)).sorted == value.sorted)
  }
}

extension `A payload` {
  static let fullTransaction = """
    {"originalTransactionId":"1","transactionId":"2","webOrderLineItemId":"3","bundleId":"b","productId":"p",
    "subscriptionGroupIdentifier":"g","purchaseDate":1,"originalPurchaseDate":2,"expiresDate":3,"quantity":4,
    "type":"Consumable","appAccountToken":"7e3fb20b-4cdb-47cc-936d-99d65f608138","inAppOwnershipType":"PURCHASED",
    "signedDate":5,"revocationReason":1,"revocationDate":6,"revocationType":"REFUND_PRORATED",
    "revocationPercentage":50000,"isUpgraded":true,"offerType":4,"offerIdentifier":"o","offerDiscountType":"ONE_TIME",
    "offerPeriod":"P1M","environment":"Sandbox","storefront":"CHN","storefrontId":"143465",
    "transactionReason":"RENEWAL","price":9223372036854775807,"currency":"CNY","appTransactionId":"7",
    "previousOriginalTransactionId":"0","billingPlanType":"MONTHLY",
    "commitmentInfo":{"billingPeriodNumber":1,"commitmentExpiresDate":7,"commitmentPrice":8,"totalBillingPeriods":12},
    "advancedCommerceInfo":{"descriptors":{"description":"d","displayName":"n"},"estimatedTax":1,"items":[{"SKU":"s",
    "description":"d","displayName":"n","offer":{"period":"P9M","periodCount":2,"price":3,"reason":"WIN_BACK"},
    "price":4,
    "refunds":[{"refundAmount":5,"refundDate":6,"refundReason":"LEGAL","refundType":"CUSTOM"}],"revocationDate":7}],
    "period":"P1Y","requestReferenceId":"r","taxCode":"c","taxExclusivePrice":8,"taxRate":"0.1"},
    "multiSeatInfo":{"invitationManagement":"DEVELOPER","priceTiers":[{"price":1,"quantity":2}],
    "revokedSeatQuantity":1},
    "additionalTransactionReason":"SEAT_ADDITION","deviceVerification":"v","deviceVerificationNonce":"n"}
    """

  static let fullRenewalInfo = """
    {"expirationIntent":5,"originalTransactionId":"1","autoRenewProductId":"a","productId":"p","autoRenewStatus":0,
    "isInBillingRetryPeriod":false,"priceIncreaseStatus":1,"gracePeriodExpiresDate":1,"offerType":1,
    "offerIdentifier":"o","offerDiscountType":"FREE_TRIAL","offerPeriod":"P1W","signedDate":2,
    "environment":"Production",
    "recentSubscriptionStartDate":3,"renewalDate":4,"renewalPrice":5,"currency":"USD",
    "eligibleWinBackOfferIds":["a","b"],"appAccountToken":"t","appTransactionId":"7",
    "advancedCommerceInfo":{"consistencyToken":"c","descriptors":{"description":"d"},"items":[{"SKU":"s",
    "offer":{"price":1},"priceIncreaseInfo":{"dependentSKUs":["x"],"price":9,"status":"SCHEDULED"}}],"period":"P2M",
    "requestReferenceId":"r","taxCode":"t"},"commitmentInfo":{"commitmentAutoRenewProductId":"p",
    "commitmentAutoRenewStatus":1,"commitmentRenewalBillingPlanType":"BILLED_UPFRONT","commitmentRenewalDate":5,
    "commitmentRenewalPrice":6},"renewalBillingPlanType":"MONTHLY","renewalQuantity":3,
    "multiSeatInfo":{"invitationManagement":"APPLE","renewalPriceTiers":[{"price":1,"quantity":3}]},
    "deviceVerification":"v","deviceVerificationNonce":"n"}
    """

  static let fullAppTransaction = """
    {"receiptType":"Production","appAppleId":531412,"bundleId":"b","applicationVersion":"1.2.3",
    "versionExternalIdentifier":512,"receiptCreationDate":1,"originalPurchaseDate":-62135769600000,
    "originalApplicationVersion":"1.1","deviceVerification":"v","deviceVerificationNonce":"n","preorderDate":3,
    "appTransactionId":"7","originalPlatform":"visionOS","requestDate":4}
    """

  static let fullNotification = """
    {"notificationType":"REFUND","subtype":"SEATS","notificationUUID":"u","version":"2.0","signedDate":1,
    "data":{"environment":"Sandbox","appAppleId":1,"bundleId":"b","bundleVersion":"1","signedTransactionInfo":"t",
    "signedRenewalInfo":"r","status":5,"consumptionRequestReason":"LEGAL"},
    "summary":{"environment":"Sandbox","appAppleId":1,"bundleId":"b","productId":"p","requestIdentifier":"r",
    "storefrontCountryCodes":["CHN"],"succeededCount":5,"failedCount":2},
    "externalPurchaseToken":{"externalPurchaseId":"e","tokenCreationDate":1,"appAppleId":2,"bundleId":"b",
    "tokenType":"LINK_OUT","tokenExpirationDate":3},
    "appData":{"appAppleId":1,"bundleId":"b","environment":"Sandbox","signedAppTransactionInfo":"a"},
    "unclaimInfo":{"environment":"Sandbox","appAppleId":1,"bundleId":"b","unclaimSeatIds":["s"]}}
    """

  static let fullQuestion = """
    {"originalTransactionId":"1","appAppleId":2,"productId":"p","userLocale":"zh-Hans","requestIdentifier":"r",
    "signedDate":3,"environment":"Sandbox"}
    """
}
