import StrictJSON

/// One purchase at each store, as the requests and answers show it.
enum ExamplesOfPurchases {
  static let order = "01a1fb1e-2370-7453-9ed9-1e100709443f"
  static let moment = "2026-03-01T09:30:00.000Z"
  private static let transaction = "2000000123456789"

  /// Whole bodies of requests, by schema and by the name of the example.
  static let requests: [String: [(String, JSONValue?)]] = [
    "CreateOrder": [
      ("appStore", purchase("appStore", on: "ios", with: [])),
      ("weChatApp", purchase("weChatPay", on: "android", with: [("scene", "shop")])),
      (
        "weChatMiniProgram",
        purchase(
          "weChatPay", on: "miniProgram", with: [("tradeType", "JSAPI"), ("openId", "oUpF8uMuAJO_M2pxb1Q9zNjWeS6o")])
      ),
      (
        "weChatMobileBrowser",
        purchase(
          "weChatPay", on: "web", with: [("tradeType", "H5"), ("payerAddress", "203.0.113.7"), ("userId", "alice")])
      ), ("weChatCode", purchase("weChatPay", on: "web", with: [("tradeType", "NATIVE")])),
    ],
    "SubmitAppStorePayment": [
      (
        "signedTransaction",
        .members([
          ("evidence", "eyJhbGciOiJFUzI1NiIsIng1YyI6…"), ("orderIds", .array([.string(order)])),
          ("sameRun", .string(order)),
        ])
      )
    ],
    "CheckWeChatPay": [("backFromWeChat", .members([("orderId", .string(order))]))],
    "RefundOrder": [
      ("all", .members([("reason", "asked by the customer")])), ("part", .members([("amount", .integer(150))])),
    ],
    "NamesUser": [("byBackend", .members([("userId", "alice")]))],
  ]

  private static func purchase(_ store: String, on platform: String, with more: [(String, JSONValue?)]) -> JSONValue {
    .members(
      [
        ("productId", "coins.100"), ("quantity", .integer(1)), ("store", .string(store)),
        ("platform", .string(platform)),
      ]
        + more + [("metadata", .members([("level", .integer(7))]))])
  }

  /// Whole answers, by schema.
  static let answers: [String: JSONValue] = [
    "Order": paidOrder,
    "PaymentAnswer": paymentAnswer,
    "CheckedWeChatPay": .members([("verdict", "fulfilled"), ("order", weChatOrder)]),
    "DeliveryBody": .members([
      ("type", "grant.created"), ("id", "dlv_a6fuprtl4d53qjwqpqi45m27auizlwcocrpadimtefplbojcutma"),
      ("sequence", .integer(1)), ("app", "demo"), ("environment", "production"), ("userId", "alice"),
      ("orderId", .string(order)), ("reference", "M-95733323"), ("match", .array(["exact"])), ("store", "appStore"),
      ("transactionId", .string(transaction)), ("productId", "coins.100"), ("quantity", .integer(1)),
      ("units", .members([("unit", "coin"), ("amount", .integer(100))])), ("occurredAt", .string(moment)),
    ]),
    "Product": .members([
      ("productId", "coins.100"), ("kind", "consumable"),
      ("appStoreProductIds", .array(["com.example.demo.coins100"])), ("weChatPriceInFen", .integer(600)),
      ("grant", .members([("unit", "coin"), ("amount", .integer(100))])), ("physical", .bool(false)),
    ]),
  ]

  private static func order(_ store: String, in state: String, with more: [(String, JSONValue?)]) -> JSONValue {
    .members(
      [
        ("id", .string(order)), ("reference", "M-95733323"), ("userId", "alice"), ("productId", "coins.100"),
        ("quantity", .integer(1)), ("store", .string(store)), ("environment", "production"),
        ("state", .string(state)), ("createdAt", .string(moment)), ("expiresAt", "2026-03-31T09:30:00.000Z"),
        ("delivery", state == "paid" ? "acknowledged" : "none"),
      ] + more)
  }

  private static let paidOrder = order(
    "appStore", in: "paid",
    with: [
      ("paidAt", "2026-03-01T09:30:12.000Z"),
      ("appStore", .members([("productId", "com.example.demo.coins100"), ("appAccountToken", .string(order))])),
    ])

  private static let weChatOrder = order(
    "weChatPay", in: "paid",
    with: [
      ("price", .members([("amount", .integer(600)), ("currency", "CNY")])),
      ("paidAt", "2026-03-01T09:30:12.000Z"),
    ])

  private static let paymentAnswer: JSONValue = .members([
    ("transactionId", .string(transaction)), ("productId", "coins.100"), ("verdict", "fulfilled"),
    ("finish", .bool(true)), ("orderId", .string(order)), ("firstSeen", .bool(true)), ("environment", "production"),
  ])
}
