import CounterfoilAPI
public import PaymentPrimitives

/// The products for sale: the server's list, joined with what the App Store says about them.
public struct Catalog: Hashable, Sendable {
  /// The products that can be shown and bought now, in the order of the server's catalog.
  public var items: [CatalogItem]
  /// Products of the server that the App Store does not know: a mistake of the set-up. They are not in `items`.
  public var unknown: [ProductIdentifier]
  /// Whether the App Store described the products. Without an answer `items` has no prices, and everything can be
  /// bought nevertheless: the payment sheet shows the price (1A.22).
  public var isPriced: Bool

  /// A catalog, for the tests of an app.
  public init(items: [CatalogItem], unknown: [ProductIdentifier] = [], isPriced: Bool = true) {
    self.items = items
    self.unknown = unknown
    self.isPriced = isPriced
  }

  /// The product with that id; nil if it is not for sale here.
  public subscript(_ id: ProductIdentifier) -> CatalogItem? { items.first { $0.id == id } }
}

/// One product for sale.
public struct CatalogItem: Hashable, Sendable, Identifiable {
  /// What one piece gives.
  public enum Grant: Hashable, Sendable {
    /// So many units of a balance.
    case units(UnitName, amount: Int64)
    /// An entitlement: for so many seconds, or for as long as the store says.
    case entitlement(EntitlementName, seconds: Int64?)
  }

  /// Counterfoil's id; `purchase` takes it.
  public let id: ProductIdentifier
  /// Its kind.
  public let kind: ProductKind
  /// What one piece gives.
  public let grant: Grant
  /// Whether it is a physical article. On Apple's devices only these are paid through WeChat Pay.
  public var isPhysical = false
  /// The store where this device buys it: hand it to `purchase` (1A.1).
  public var store = Store.appStore
  /// The App Store's description: name, price, period, offers. Nil if the store did not answer, and for what is paid
  /// through WeChat Pay.
  public var appStore: StoreProduct?
  /// The price at WeChat Pay; nil if it is not sold there.
  public var weChatPrice: Money?

  /// A product, for the tests of an app.
  public init(_ id: ProductIdentifier, kind: ProductKind, grant: Grant) {
    self.id = id
    self.kind = kind
    self.grant = grant
  }

  /// The name in the customer's language; Counterfoil's id until the store has answered.
  public var name: String { appStore?.name ?? id.text }

  /// The price at `store`, as the customer reads it; empty while it is not known.
  public var displayPrice: String {
    switch store {
    case .appStore: appStore?.displayPrice ?? ""
    case .weChatPay: weChatPrice.map { "¥" + StatedPrice($0).currencyText } ?? ""
    }
  }
}

extension CatalogItem {
  /// Price and period as a page must show them (App Review 3.1.2), the offer for this customer before them: “1 week
  /// free, then ¥25.00 per month”.
  public func priceWords(_ language: Language) -> String {
    guard !displayPrice.isEmpty, let period = appStore?.period else { return displayPrice }
    let price = BilingualText(
      "\(displayPrice) per \(period.words.english)", "每 \(period.words.chinese) \(displayPrice)")
    guard let offer = appStore?.offerForThisCustomer else { return price[language] }
    return BilingualText(
      "\(offer.words.english), then \(price.english)", "\(offer.words.chinese)，之后\(price.chinese)")[language]
  }

  init(_ body: ReadProducts.ProductBody, appStore: StoreProduct?, configured: Store) {
    let grant: Grant =
      switch body.grant {
      case .units(let unit, let amount): .units(unit, amount: amount)
      case .entitlement(let name, let seconds): .entitlement(name, seconds: seconds)
      }
    self.init(body.id, kind: body.kind, grant: grant)
    isPhysical = body.isPhysical
    weChatPrice = body.weChatPriceInFen.map { Money(minorUnits: $0, currency: .cny) }
    store = body.store(configured: configured)
    if store == .appStore { self.appStore = appStore }
  }
}

extension ReadProducts.ProductBody {
  /// The store where a device with that default store buys the product. Virtual goods go through the App Store where
  /// there is one; an article that the App Store does not sell goes through WeChat Pay (1A.1).
  func store(configured: Store) -> Store {
    guard configured == .appStore, isPhysical || appStoreProducts.isEmpty, weChatPriceInFen != nil else {
      return configured
    }
    return .weChatPay
  }

  /// Whether the product can be bought at a store at all.
  func isSold(at store: Store) -> Bool {
    switch store {
    case .appStore: !appStoreProducts.isEmpty
    case .weChatPay: weChatPriceInFen != nil
    }
  }
}

extension Purchasing {
  /// The products for sale: the server's list joined with the App Store's prices, periods and offers. It waits for the
  /// store at most 4 seconds; without its answer the items have no price (`isPriced`).
  ///
  /// - Throws: as `entitlements`. None of its errors means that nothing is for sale.
  public func catalog() async throws(PurchasingError) -> Catalog {
    let server = resources.server
    let bodies = try await askAboutUser { await server.products(as: $0) }.products
    let configured = configuration.store
    let sold = bodies.filter { $0.isSold(at: $0.store(configured: configured)) }
    let asked = sold.filter { $0.store(configured: configured) == .appStore }
    let ids = asked.flatMap(\.appStoreProducts)
    let listing = ids.isEmpty ? .answered(StoreProducts(products: [])) : await state.store.products(ids)
    var catalog = Catalog(items: [], isPriced: ids.isEmpty || !listing.isUnanswered)
    for body in sold {
      // Of several ids the first one that the store knows, in the order of the catalog.
      let known = body.appStoreProducts.lazy.compactMap { id in listing.products.first { $0.id == id } }.first
      let item = CatalogItem(body, appStore: known, configured: configured)
      if item.store == .appStore { state.orders.remember(known?.id, for: body.id) }
      let isUnknown = item.store == .appStore && known == nil && !listing.isUnanswered
      if isUnknown { catalog.unknown.append(body.id) } else { catalog.items.append(item) }
    }
    return catalog
  }
}

extension ProductListing {
  var isUnanswered: Bool {
    if case .unanswered = self { true } else { false }
  }
}
