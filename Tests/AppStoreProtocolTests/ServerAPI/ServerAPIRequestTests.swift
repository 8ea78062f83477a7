import AppStoreProtocol
import Cryptography
import HTTPMessages
import PaymentPrimitives
import SigningAuthorities
import StrictJSON
import Testing

@Suite struct `A request to the App Store Server API` {
  @Test func `is not made for an id that would lead to another address`() throws {
    for id in [
      "", "..", "../subscriptions/extend/mass", "1/2", "1?x=y", "%2E%2E", "１２", "1 ", String(repeating: "1", count: 33),
    ] {
      #expect(throws: CodedError(AppStoreServerRequestErrorCode.identifier)) {
        try AppStoreServerCall.transactionInfo(TransactionIdentifier(id))
      }
      #expect(throws: CodedError(AppStoreServerRequestErrorCode.identifier)) {
        try AppStoreServerCall.transactionHistory(ofCustomerWith: id)
      }
      #expect(throws: CodedError(AppStoreServerRequestErrorCode.identifier)) {
        try AppStoreServerCall.setAppAccountToken(ServerAPIBench.token, of: TransactionIdentifier(id))
      }
    }
    for text in ["", ".", "..", "...", String(repeating: "x", count: 257)] {
      #expect(throws: CodedError(AppStoreServerRequestErrorCode.pathText)) { try AppStoreServerCall.orderLookup(text) }
      #expect(throws: CodedError(AppStoreServerRequestErrorCode.pathText)) {
        try AppStoreServerCall.testNotificationStatus(text)
      }
    }
  }

  @Test func `is not made for spans and filters that Apple refuses`() throws {
    let (early, late) = (Timestamp(milliseconds: 1), Timestamp(milliseconds: 2))
    #expect(throws: CodedError(AppStoreServerRequestErrorCode.span)) {
      try AppStoreServerCall.notificationHistory(NotificationHistoryRequest(from: late, to: late))
    }
    var history = TransactionHistoryRequest()
    (history.startDate, history.endDate) = (late, early)
    #expect(throws: CodedError(AppStoreServerRequestErrorCode.span)) {
      try AppStoreServerCall.transactionHistory(ofCustomerWith: "1", history)
    }
    var many = TransactionHistoryRequest()
    many.productIds = Array(repeating: "p", count: 51)
    #expect(throws: CodedError(AppStoreServerRequestErrorCode.filters)) {
      try AppStoreServerCall.transactionHistory(ofCustomerWith: "1", many)
    }
    var both = NotificationHistoryRequest(from: early, to: late)
    (both.transactionId, both.notificationType) = ("1", .refund)
    #expect(throws: CodedError(AppStoreServerRequestErrorCode.filters)) {
      try AppStoreServerCall.notificationHistory(both)
    }
    var orphan = NotificationHistoryRequest(from: early, to: late)
    orphan.notificationSubtype = .initialBuy
    #expect(throws: CodedError(AppStoreServerRequestErrorCode.filters)) {
      try AppStoreServerCall.notificationHistory(orphan)
    }
  }

  @Test func `sends no consumption data without the customer's consent, and none that contradicts itself`() throws {
    typealias Change = @Sendable (inout ConsumptionRequest) -> Void
    let changes: [Change] = [
      { $0.customerConsented = false },
      { $0.consumptionPercentage = 100_001 },
      { $0.consumptionPercentage = -1 },
      { ($0.deliveryStatus, $0.consumptionPercentage) = (.undeliveredOther, 1) },
      { ($0.consumptionPercentage, $0.refundPreference) = (0, .grantProrated) },
      { ($0.consumptionPercentage, $0.refundPreference) = (100_000, .grantProrated) },
    ]
    for change in changes {
      var request = ConsumptionRequest(
        customerConsented: true, deliveryStatus: .delivered, sampleContentProvided: true)
      change(&request)
      #expect(throws: CodedError(AppStoreServerRequestErrorCode.consumption)) {
        try AppStoreServerCall.consumption(request, of: "1")
      }
    }
    #expect(throws: CodedError(AppStoreServerRequestErrorCode.consumption)) {
      try AppStoreServerCall.consumptionV1(ConsumptionRequestV1(customerConsented: false), of: "1")
    }
    var wrong = ConsumptionRequestV1(customerConsented: true)
    wrong.deliveryStatus = 6
    #expect(throws: CodedError(AppStoreServerRequestErrorCode.consumption)) {
      try AppStoreServerCall.consumptionV1(wrong, of: "1")
    }
  }

  @Test func `equals the expected bytes`() throws {
    let token = ServerAPIBench.token.appAccountToken
    let query =
      "?revision=rev%2Bisi%2Fon%3D&startDate=123455&endDate=123456&productId=com.example.1"
      + "&productId=com.example%202%2F%C3%BC%26&productType=CONSUMABLE&productType=AUTO_RENEWABLE"
      + "&productType=NON_RENEWABLE&productType=NON_CONSUMABLE&sort=ASCENDING"
      + "&subscriptionGroupIdentifier=sub_group_id&subscriptionGroupIdentifier=sub_group_id_2"
      + "&inAppOwnershipType=FAMILY_SHARED&revoked=false"
    let dates = #""startDate":1698148900000,"endDate":1698148950000"#
    let wish = #""extendByDays":45,"extendReasonCode":1,"requestIdentifier":"fdf964a4-233b""#
    let golden: [(String, String, String)] = [
      ("GET", "/inApps/v1/transactions/1234", ""),
      ("GET", "/inApps/v1/transactions/appTransactions/1234", ""),
      ("GET", "/inApps/v2/history/1234" + query, ""),
      ("GET", "/inApps/v2/history/1234", ""),
      ("GET", "/inApps/v1/subscriptions/1234?status=1&status=5", ""),
      ("GET", "/inApps/v1/lookup/W002%20182%2F%C3%BC", ""),
      ("GET", "/inApps/v2/refund/lookup/1234", ""),
      ("GET", "/inApps/v2/refund/lookup/1234?revision=r%3D1", ""),
      (
        "POST", "/inApps/v1/notifications/history?paginationToken=a036bc0e-52b8-4bee%2B82fc",
        "{\(dates),"
          + #""notificationType":"SUBSCRIBED","notificationSubtype":"INITIAL_BUY","onlyFailures":true}"#
      ),
      ("POST", "/inApps/v1/notifications/history", #"{\#(dates),"transactionId":"999733843"}"#),
      ("POST", "/inApps/v1/notifications/test", ""),
      ("GET", "/inApps/v1/notifications/test/8cd2974c-f905-492a-bf9a-b2f47c791d19", ""),
      ("POST", "/inApps/v1/transactions/49571273/finish", ""),
      ("PUT", "/inApps/v1/transactions/49571273/appAccountToken", #"{"appAccountToken":"\#(token)"}"#),
      (
        "PUT", "/inApps/v2/transactions/consumption/49571273",
        #"{"customerConsented":true,"consumptionPercentage":50000,"deliveryStatus":"DELIVERED","#
          + #""refundPreference":"GRANT_PRORATED","sampleContentProvided":false}"#
      ),
      (
        "PUT", "/inApps/v1/transactions/consumption/49571273",
        #"{"customerConsented":true,"sampleContentProvided":false,"appAccountToken":"\#(token)","#
          + #""consumptionStatus":1,"platform":2,"deliveryStatus":3,"accountTenure":4,"playTime":5,"#
          + #""lifetimeDollarsRefunded":6,"lifetimeDollarsPurchased":7,"userStatus":4,"refundPreference":3}"#
      ),
      ("PUT", "/inApps/v1/subscriptions/extend/4124214", "{\(wish)}"),
      (
        "POST", "/inApps/v1/subscriptions/extend/mass",
        "{\(wish)," + #""productId":"com.example.monthly","storefrontCountryCodes":["USA","MEX"]}"#
      ),
      ("POST", "/inApps/v1/subscriptions/extend/mass", "{\(wish)," + #""productId":"com.example.monthly"}"#),
      ("GET", "/inApps/v1/subscriptions/extend/mass/com.example.monthly/20fba8a0-2b80", ""),
    ]
    let made = try ServerAPIBench.everyCall()
    #expect(made.count == golden.count)
    for (pair, (method, target, body)) in zip(made, golden) {
      #expect(pair.ours.method == method, "\(pair.name)")
      #expect(pair.ours.target == "https://api.storekit.apple.com" + target, "\(pair.name)")
      #expect(String(decoding: pair.ours.body, as: UTF8.self) == body, "\(pair.name)")
      #expect(pair.ours.fields["Accept"] == "application/json")
      #expect(pair.ours.fields["User-Agent"] == "counterfoil")
      #expect(pair.ours.fields["Content-Type"] == (body.isEmpty ? nil : "application/json"), "\(pair.name)")
    }
  }

  @Test func `goes to the host of its environment, which can be configured`() throws {
    let hosts = AppStoreServerHosts()
    #expect(hosts[.production].origin == "https://api.storekit.apple.com")
    #expect(hosts[.sandbox].origin == "https://api.storekit-sandbox.apple.com")
    #expect(hosts.areGenuine)
    let simulator = try #require(AppStoreServerHost("http://127.0.0.1:9090"))
    #expect(!AppStoreServerHosts(sandbox: simulator).areGenuine)
    #expect(try #require(AppStoreServerHost("https://api.storekit.itunes.apple.com")).isGenuine)
    for text in ["", "ftp://x", "https://", "https://a/b", "https://a?b", "https://a@b", "HTTPS://A", "https://:80"] {
      #expect(AppStoreServerHost(text) == nil, "\(text)")
    }
  }
}

@Suite struct `A token for the App Store Server API` {
  @Test func `is not made from malformed ids and keys`() throws {
    let key = ServerAPIBench.key
    for issuer in ["", "57246542-96fe-1a63-e053", "57246542-96fe-1a63-e053-0824d011072g", "69a6de70"] {
      #expect(throws: CodedError(AppStoreKeyErrorCode.issuerId)) {
        try AppStoreServerCredentials(issuerId: issuer, keyId: "ABCDEFGHIJ", bundleId: "b", privateKey: key)
      }
    }
    for keyId in ["", "ABC DEF", "AuthKey_ABCDEFGHIJ.p8", String(repeating: "A", count: 33)] {
      #expect(throws: CodedError(AppStoreKeyErrorCode.keyId)) {
        try AppStoreServerCredentials(
          issuerId: ServerAPIBench.issuerId, keyId: keyId, bundleId: "b", privateKey: key)
      }
    }
    let other = ECDSAPrivateKey(curve: .p384, randomBytes: Array(1...48))
    #expect(throws: CodedError(AppStoreKeyErrorCode.keyCurve)) {
      try AppStoreServerCredentials(
        issuerId: ServerAPIBench.issuerId, keyId: "ABCDEFGHIJ", bundleId: "b", privateKey: other)
    }
  }

  @Test func `is new for each request, in whole seconds, dated a minute back and valid for five minutes`() throws {
    let request = try ServerAPIBench.request(.transactionInfo("1234"))
    let field = try #require(request.fields["Authorization"])
    #expect(field.hasPrefix("Bearer "))
    let token = try #require(CompactJWS(field.utf8.dropFirst(7), bytesMax: 4096))
    #expect(
      String(decoding: token.header, as: UTF8.self) == #"{"alg":"ES256","kid":"ABCDEFGHIJ","typ":"JWT"}"#)
    #expect(
      String(decoding: token.payload, as: UTF8.self)
        == #"{"iss":"57246542-96fe-1a63-e053-0824d011072a","iat":1794999940,"exp":1795000300,"#
        + #""aud":"appstoreconnect-v1","bid":"com.example"}"#)
    let signature = try #require(ECDSASignature(raw: token.signature, curve: .p256))
    #expect(ServerAPIBench.key.publicKey.isValid(signature, for: token.signed))
  }

  @Test func `and its key are never printed`() throws {
    let credentials = try ServerAPIBench.credentials()
    #expect("\(credentials)" == "key ABCDEFGHIJ of issuer \(ServerAPIBench.issuerId) for com.example")
    // A debugger or a test that prints its parts must not show the key either.
    let shown = Mirror(reflecting: credentials).children.map { "\($0.value)" }.joined()
    #expect(!shown.contains("scalar"))
  }
}
