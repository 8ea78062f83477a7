public import PaymentPrimitives
public import StrictJSON

/// `POST /v1/orders`: records the intent to buy before any money can move.
public enum CreateOrder {
  /// The path of the call.
  public static let path = "/v1/orders"
  /// The trade types of WeChat Pay, as a request names them.
  public static let tradeTypes = ["APP", "JSAPI", "H5", "NATIVE"]

  /// The request.
  public struct Request: Hashable, Sendable {
    /// Our product id.
    public var product: ProductIdentifier
    /// The number of pieces, 1 to 10.
    public var quantity: Int
    /// The store for the payment.
    public var store: Store
    /// The user of the order; only with a secret key, otherwise the token names the user.
    public var user: UserIdentifier?
    /// The platform of the customer: `ios`, `android`, `web`, …
    public var platform: String?
    /// The trade type of WeChat Pay: `APP` (default), `JSAPI`, `H5` or `NATIVE`.
    public var tradeType: String?
    /// The payer's `openid`, for `JSAPI`.
    public var openId: String?
    /// The payer's public address, for `H5`; only with a secret key, otherwise it is the connection's address.
    public var payerAddress: String?
    /// Where in the app the purchase began.
    public var scene: String?
    /// The app's own number, at most 64 characters.
    public var reference: String?
    /// The app's own data, at most 2 kB as JSON.
    public var metadata: JSONValue?

    /// An order for one product.
    public init(product: ProductIdentifier, quantity: Int = 1, store: Store) {
      self.product = product
      self.quantity = quantity
      self.store = store
    }

    /// Reads a request.
    public init(json: JSONValue) throws(JSONFieldError) {
      let fields = try JSONFields(json)
      product = ProductIdentifier(try fields.string("productId", bytesMax: 255))
      quantity = Int(try fields.optionalInteger("quantity", in: 1...10) ?? 1)
      store = try fields.converted("store", "\"appStore\" or \"weChatPay\"", Store.init(rawValue:))
      user = try fields.optionalString("userId", bytesMax: 255).map { UserIdentifier($0) }
      platform = try fields.optionalString("platform", bytesMax: 64)
      tradeType = try fields.optionallyConverted("tradeType", "\"APP\", \"JSAPI\", \"H5\" or \"NATIVE\"") {
        CreateOrder.tradeTypes.contains($0) ? $0 : nil
      }
      openId = try fields.optionalString("openId", bytesMax: 128)
      payerAddress = try fields.optionalString("payerAddress", bytesMax: 45)
      scene = try fields.optionalString("scene", bytesMax: 64)
      reference = try fields.optionallyConverted("reference", "a text of 1 to 64 characters without a slash") {
        ContractLimits.isReference($0) ? $0 : nil
      }
      metadata = fields.value("metadata")
      if let metadata {
        guard metadata.object != nil, metadata.bytes.count <= ContractLimits.metadataBytesMax else {
          throw JSONFieldError(path: "metadata", expected: "an object of at most 2,048 bytes")
        }
      }
    }

    /// The request as sent.
    public var json: JSONValue {
      .members([
        ("productId", .string(product.text)), ("quantity", .integer(quantity)),
        ("store", .string(store.rawValue)), ("userId", user.map { .string($0.text) }),
        ("platform", platform.map(JSONValue.string)), ("tradeType", tradeType.map(JSONValue.string)),
        ("openId", openId.map(JSONValue.string)), ("payerAddress", payerAddress.map(JSONValue.string)),
        ("scene", scene.map(JSONValue.string)),
        ("reference", reference.map(JSONValue.string)), ("metadata", metadata),
      ])
    }
  }
}

/// Limits of requests and answers.
public enum ContractLimits {
  /// Bytes of the app's own data on an order; every answer and delivery returns the data.
  public static let metadataBytesMax = 2048
  /// Characters of an app's own number of an order.
  public static let referenceCharactersMax = 64
  /// Whether a text may be an app's own number of an order: 1 to 64 code points of at most 256 bytes. The definition
  /// of a visible character varies between systems and over time; code points do not.
  ///
  /// It is accepted wherever an order id is, so it must fit into a path. Not allowed: a slash (gateways treat it as a
  /// separator, escaped or not), control characters, `.` and `..`.
  public static func isReference(_ text: String) -> Bool {
    text.utf8.count <= 256 && (1...referenceCharactersMax).contains(text.unicodeScalars.count) && text != "."
      && text != ".." && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x2F && $0 != 0x7F }
  }
  /// Whether a text may name a buying user: 1 to 255 bytes without control characters (Unicode's category Cc).
  ///
  /// Every path with a user must be able to carry the name. So `.` and `..` are excluded, because clients and proxies
  /// remove them from a path, escaped or not. Every other character can be percent-encoded, including a slash.
  public static func isUserIdentifier(_ text: String) -> Bool {
    (1...255).contains(text.utf8.count) && text != "." && text != ".."
      && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
  }
  /// Bytes of a signed transaction; genuine notifications reach 19 kB.
  public static let signedDataBytesMax = 256 << 10
  /// Order ids sent along with one payment: more than the open orders of a vault.
  public static let orderIdentifiersMax = 50
  /// Transaction ids in one report of finished ones.
  public static let finishedMax = 200
  /// Entitlements or balances of one user in one answer: more kinds of either than an app sells.
  public static let rightsMax = 1000
  /// The longest wait of `?wait=`, in seconds: below the 30 s after which proxies time out.
  public static let waitSecondsMax: Int64 = 25
  /// Units of one debit: as many as one piece of a product may give.
  public static let debitMax: Int64 = 1_000_000_000_000
  /// Items of one page.
  public static let pageMax = 100
}
