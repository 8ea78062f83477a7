import AppStoreProtocol
import Cryptography
import HTTPMessages
import PaymentPrimitives
import SigningAuthorities
import StrictJSON

/// Credentials and answers made for tests of the App Store Server API.
enum ServerAPIBench {
  static let now = Timestamp(milliseconds: 1_795_000_000_123)
  static let issuerId = "57246542-96fe-1a63-e053-0824d011072a"
  static let key = ECDSAPrivateKey(curve: .p256, randomBytes: Array("a key for the Server API, made for tests".utf8))
  static let token = OrderIdentifier(version7At: now, random: Array(1...10))

  static func credentials() throws -> AppStoreServerCredentials {
    try AppStoreServerCredentials(
      issuerId: issuerId, keyId: "ABCDEFGHIJ", bundleId: "com.example", privateKey: key)
  }

  static func request<Answer>(_ call: AppStoreServerCall<Answer>) throws -> HTTPRequest {
    call.request(by: try credentials(), to: .production, at: now)
  }

  static func response(
    _ status: Int, _ body: String = "", fields: HTTPFields = ["Content-Type": "application/json"]
  ) -> HTTPResponse {
    HTTPResponse(status: status, fields: fields, body: Array(body.utf8))
  }

  static func error(_ number: Int64, _ status: Int) -> HTTPResponse {
    response(status, "{\"errorCode\":\(number),\"errorMessage\":\"Testing error.\"}")
  }

  /// Every call once with every parameter, and the equivalent call to Apple's library for Python.
  static func everyCall() throws -> [Pair] {
    var history = TransactionHistoryRequest()
    history.startDate = Timestamp(milliseconds: 123_455)
    history.endDate = Timestamp(milliseconds: 123_456)
    history.productIds = ["com.example.1", "com.example 2/ü&"]
    history.productTypes = [.consumable, .autoRenewable, .nonRenewable, .nonConsumable]
    history.sort = .ascending
    history.subscriptionGroupIdentifiers = ["sub_group_id", "sub_group_id_2"]
    history.inAppOwnershipType = .familyShared
    history.revoked = false
    let historyJSON = JSONValue.members([
      ("startDate", .integer(123_455)), ("endDate", .integer(123_456)),
      ("productIds", .array([.string("com.example.1"), .string("com.example 2/ü&")])),
      ("productTypes", .array(history.productTypes.map { .string($0.rawValue) })), ("sort", .string("ASCENDING")),
      ("subscriptionGroupIdentifiers", .array([.string("sub_group_id"), .string("sub_group_id_2")])),
      ("inAppOwnershipType", .string("FAMILY_SHARED")), ("revoked", .bool(false)),
    ])
    return [
      Pair(try request(.transactionInfo("1234")), "get_transaction_info", arguments: ["1234"]),
      Pair(try request(.appTransactionInfo(ofCustomerWith: "1234")), "get_app_transaction_info", arguments: ["1234"]),
      Pair(
        try request(.transactionHistory(ofCustomerWith: "1234", history, revision: "rev+isi/on=")),
        "get_transaction_history",
        arguments: [
          "1234", "rev+isi/on=", .made("TransactionHistoryRequest", historyJSON), .made("Version", .string("v2")),
        ]),
      Pair(
        try request(.transactionHistory(ofCustomerWith: "1234")), "get_transaction_history",
        arguments: ["1234", .null, .made("TransactionHistoryRequest", .object([])), .made("Version", .string("v2"))]),
      Pair(
        try request(.subscriptionStatuses(ofCustomerWith: "1234", status: [.active, .revoked])),
        "get_all_subscription_statuses", arguments: ["1234", .made("Status", .array([.integer(1), .integer(5)]))]),
      Pair(try request(.orderLookup("W002 182/ü")), "look_up_order_id", arguments: ["W002%20182%2F%C3%BC"]),
      Pair(try request(.refundHistory(ofCustomerWith: "1234")), "get_refund_history", arguments: ["1234", .null]),
      Pair(
        try request(.refundHistory(ofCustomerWith: "1234", revision: "r=1")), "get_refund_history",
        arguments: ["1234", "r=1"]),
    ] + (try notificationCalls()) + (try changes())
  }

  private static func notificationCalls() throws -> [Pair] {
    var byType = NotificationHistoryRequest(
      from: Timestamp(milliseconds: 1_698_148_900_000), to: Timestamp(milliseconds: 1_698_148_950_000))
    byType.notificationType = .subscribed
    byType.notificationSubtype = .initialBuy
    byType.onlyFailures = true
    var byTransaction = NotificationHistoryRequest(
      from: Timestamp(milliseconds: 1_698_148_900_000), to: Timestamp(milliseconds: 1_698_148_950_000))
    byTransaction.transactionId = "999733843"
    let dates: [(String, JSONValue?)] = [
      ("startDate", .integer(1_698_148_900_000)), ("endDate", .integer(1_698_148_950_000)),
    ]
    let typeJSON = JSONValue.members(
      dates + [
        ("notificationType", .string("SUBSCRIBED")), ("notificationSubtype", .string("INITIAL_BUY")),
        ("onlyFailures", .bool(true)),
      ])
    let transactionJSON = JSONValue.members(dates + [("transactionId", .string("999733843"))])
    return [
      Pair(
        try request(.notificationHistory(byType, paginationToken: "a036bc0e-52b8-4bee+82fc")),
        "get_notification_history",
        arguments: ["a036bc0e-52b8-4bee+82fc", .made("NotificationHistoryRequest", typeJSON)]),
      Pair(
        try request(.notificationHistory(byTransaction)), "get_notification_history",
        arguments: [.null, .made("NotificationHistoryRequest", transactionJSON)]),
      Pair(try request(.testNotification()), "request_test_notification", arguments: []),
      Pair(
        try request(.testNotificationStatus("8cd2974c-f905-492a-bf9a-b2f47c791d19")), "get_test_notification_status",
        arguments: ["8cd2974c-f905-492a-bf9a-b2f47c791d19"]),
    ]
  }

  private static func extensions() throws -> [Pair] {
    let wish = try RenewalExtensionRequest(days: 45, reason: .customerSatisfaction, identifier: "fdf964a4-233b")
    let json: [(String, JSONValue?)] = [
      ("extendByDays", .integer(45)), ("extendReasonCode", .integer(1)),
      ("requestIdentifier", .string("fdf964a4-233b")),
    ]
    let product: (String, JSONValue?) = ("productId", .string("com.example.monthly"))
    let storefronts: (String, JSONValue?) = ("storefrontCountryCodes", .array([.string("USA"), .string("MEX")]))
    return [
      Pair(
        try request(.extendRenewalDate(of: "4124214", wish)), "extend_subscription_renewal_date",
        arguments: ["4124214", .made("ExtendRenewalDateRequest", .members(json))]),
      Pair(
        try request(.extendAllRenewalDates(of: "com.example.monthly", wish, storefronts: ["USA", "MEX"])),
        "extend_renewal_date_for_all_active_subscribers",
        arguments: [.made("MassExtendRenewalDateRequest", .members(json + [storefronts, product]))]),
      Pair(
        try request(.extendAllRenewalDates(of: "com.example.monthly", wish, storefronts: nil)),
        "extend_renewal_date_for_all_active_subscribers",
        arguments: [.made("MassExtendRenewalDateRequest", .members(json + [product]))]),
      Pair(
        try request(.massExtensionStatus(of: "com.example.monthly", identifier: "20fba8a0-2b80")),
        "get_status_of_subscription_renewal_date_extensions", arguments: ["20fba8a0-2b80", "com.example.monthly"]),
    ]
  }

  private static func changes() throws -> [Pair] {
    var consumption = ConsumptionRequest(
      customerConsented: true, deliveryStatus: .delivered, sampleContentProvided: false)
    consumption.consumptionPercentage = 50_000
    consumption.refundPreference = .grantProrated
    let consumptionJSON = JSONValue.members([
      ("customerConsented", .bool(true)), ("deliveryStatus", .string("DELIVERED")),
      ("sampleContentProvided", .bool(false)), ("consumptionPercentage", .integer(50_000)),
      ("refundPreference", .string("GRANT_PRORATED")),
    ])
    var first = ConsumptionRequestV1(customerConsented: true)
    first.consumptionStatus = 1
    first.platform = 2
    first.deliveryStatus = 3
    first.appAccountToken = token
    first.accountTenure = 4
    first.playTime = 5
    first.lifetimeDollarsRefunded = 6
    first.lifetimeDollarsPurchased = 7
    first.userStatus = 4
    first.refundPreference = 3
    let firstJSON = JSONValue.members([
      ("customerConsented", .bool(true)), ("consumptionStatus", .integer(1)), ("platform", .integer(2)),
      ("sampleContentProvided", .bool(false)), ("deliveryStatus", .integer(3)),
      ("appAccountToken", .string(token.appAccountToken)), ("accountTenure", .integer(4)), ("playTime", .integer(5)),
      ("lifetimeDollarsRefunded", .integer(6)), ("lifetimeDollarsPurchased", .integer(7)),
      ("userStatus", .integer(4)), ("refundPreference", .integer(3)),
    ])
    let tokenJSON = JSONValue.members([("appAccountToken", .string(token.appAccountToken))])
    return try [
      Pair(try request(.finishTransaction("49571273")), "finish_transaction", arguments: ["49571273"]),
      Pair(
        try request(.setAppAccountToken(token, of: "49571273")), "set_app_account_token",
        arguments: ["49571273", .made("UpdateAppAccountTokenRequest", tokenJSON)]),
      Pair(
        try request(.consumption(consumption, of: "49571273")), "send_consumption_information",
        arguments: ["49571273", .made("ConsumptionRequest", consumptionJSON)]),
      Pair(
        try request(.consumptionV1(first, of: "49571273")), "send_consumption_data",
        arguments: ["49571273", .made("ConsumptionRequestV1", firstJSON)]),
    ] + extensions()
  }

  /// Our request, and the method and arguments that make the same request with Apple's library.
  struct Pair {
    let ours: HTTPRequest
    let name: String
    let arguments: [JSONValue]

    init(_ ours: HTTPRequest, _ name: String, arguments: [JSONValue]) {
      self.ours = ours
      self.name = name
      self.arguments = arguments
    }
  }
}

extension JSONValue {
  /// An argument of a type of Apple's library.
  fileprivate static func made(_ type: String, _ value: JSONValue) -> JSONValue {
    .members([("type", .string(type)), ("value", value)])
  }
}
