public import PaymentPrimitives
public import StrictJSON

/// `GET /v1/products`: the products for sale.
public enum ReadProducts {
  /// The path of the call.
  public static let path = "/v1/products"
  /// Products of one answer; more than an app sells.
  public static let productsMax = 10_000

  /// The answer.
  public struct Response: Hashable, Sendable {
    /// The products, in the order of the catalog.
    public var products: [ProductBody]

    /// An answer with those products.
    public init(products: [ProductBody]) { self.products = products }

    /// Reads an answer. One without the list is invalid; it does not mean that nothing is for sale.
    public init(json: JSONValue) throws(JSONFieldError) {
      let fields = try JSONFields(json)
      guard fields.value("products") != nil else { throw JSONFieldError(path: "products", expected: "a list") }
      products = []
      for item in try fields.array("products", countMax: ReadProducts.productsMax) {
        // A kind of product or grant that this version does not know cannot be shown; the others can.
        if let product = try ProductBody(json: item) { products.append(product) }
      }
    }
  }

  /// One product of the catalog.
  public struct ProductBody: Hashable, Sendable {
    /// Our product id.
    public var id: ProductIdentifier
    /// What kind of product it is.
    public var kind: ProductKind
    /// The App Store's ids, the preferred one first.
    public var appStoreProducts: [StoreProductIdentifier]
    /// The price at WeChat Pay in fen; nil if it is not sold there.
    public var weChatPriceInFen: Int64?
    /// What one piece gives.
    public var grant: Grant
    /// Whether it is a physical article, which may be paid outside the App Store on Apple's devices.
    public var isPhysical: Bool

    /// What one piece of a product gives.
    public enum Grant: Hashable, Sendable {
      /// So many units of a balance.
      case units(UnitName, Int64)
      /// An entitlement; for so many seconds, or as long as the store says.
      case entitlement(EntitlementName, seconds: Int64?)
    }

    /// A product with its required facts.
    public init(
      id: ProductIdentifier, kind: ProductKind, appStoreProducts: [StoreProductIdentifier], grant: Grant,
      isPhysical: Bool = false
    ) {
      self.id = id
      self.kind = kind
      self.appStoreProducts = appStoreProducts
      self.grant = grant
      self.isPhysical = isPhysical
    }

    /// Reads a product; nil for one of a kind that this version does not know.
    init?(json: JSONValue) throws(JSONFieldError) {
      let fields = try JSONFields(json)
      id = ProductIdentifier(try fields.string("productId", bytesMax: 255))
      guard let kind = ProductKind(rawValue: try fields.string("kind", bytesMax: 64)) else { return nil }
      self.kind = kind
      appStoreProducts = try fields.strings("appStoreProductIds", countMax: 1000, bytesMax: 255).map {
        StoreProductIdentifier($0)
      }
      weChatPriceInFen = try fields.optionalInteger("weChatPriceInFen")
      isPhysical = try fields.optionalBool("physical") ?? false
      guard let grant = try fields.optionalFields("grant") else {
        throw JSONFieldError(path: "grant", expected: "an object")
      }
      if let unit = try grant.optionalString("unit", bytesMax: 255) {
        self.grant = .units(UnitName(unit), try grant.integer("amount"))
      } else if let name = try grant.optionalString("entitlement", bytesMax: 255) {
        self.grant = .entitlement(EntitlementName(name), seconds: try grant.optionalInteger("periodSeconds"))
      } else {
        return nil
      }
    }
  }
}
