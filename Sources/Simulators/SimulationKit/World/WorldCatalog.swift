import PaymentModel
import PaymentPrimitives
import Synchronization

/// The app's configuration now and in the past: the oracle's own record of what was promised and when.
final class WorldCatalog: Sendable {
  /// The configuration of a period.
  struct Version: Sendable {
    let products: [Product]
    /// Products of this version that can no longer be ordered.
    let retired: Set<ProductIdentifier>
    /// How it treats the team's other app.
    var other = OtherShop.Standing.sells
    /// The earliest time at which a server may have used this version.
    let from: Timestamp
    /// The time at which the last server stopped using it; nil for the current version.
    var until: Timestamp?
  }

  private let debt: DebtPolicy
  private let state: Mutex<[Version]>
  private let isChanging = Mutex(false)

  /// - Parameters:
  ///   - debt: the policy for units that were spent before a refund takes them back.
  ///   - other: how the configuration treats the team's other app.
  init(sells products: [Product], owing debt: DebtPolicy, other: OtherShop.Standing, at now: Timestamp) {
    self.debt = debt
    state = Mutex([Version(products: products, retired: [], other: other, from: now)])
  }

  /// All versions, in order.
  var versions: [Version] { state.withLock { $0 } }

  /// The current configuration.
  var present: Catalog {
    let version = versions[versions.count - 1]
    var all = version.products
    for index in all.indices { all[index].debt = debt }
    do { return try Catalog(all, retired: version.retired) } catch {
      preconditionFailure("the catalog of the world is wrong: \(error)")
    }
  }

  /// How the current configuration treats the other app.
  var other: OtherShop.Standing { versions[versions.count - 1].other }

  /// Whether every server has treated the other app this way since that moment.
  func isOther(_ standing: OtherShop.Standing, since moment: Timestamp) -> Bool {
    versions.allSatisfy { version in
      version.other == standing || version.until.map { $0 < moment } == true
    }
  }

  /// Changes the configuration; no server knows it yet.
  func change(_ change: CatalogPlan.Change, at now: Timestamp) {
    state.withLock { versions in
      let last = versions[versions.count - 1]
      var (products, retired) = (last.products, last.retired)
      if case .retire(let id) = change { retired.insert(id) } else { Self.apply(change, to: &products) }
      retired.formIntersection(products.map(\.id))
      let other = if case .other(let standing) = change { standing } else { last.other }
      versions.append(Version(products: products, retired: retired, other: other, from: now))
    }
  }

  /// Whether the caller may change it now: only one change at a time is applied to the servers.
  func takeTurn() -> Bool {
    isChanging.withLock { isChanging in
      defer { isChanging = true }
      return !isChanging
    }
  }

  func endTurn() { isChanging.withLock { $0 = false } }

  /// Marks the moment at which every server runs with the newest configuration.
  func isInForce(since now: Timestamp) {
    state.withLock { versions in
      for index in versions.indices.dropLast() where versions[index].until == nil { versions[index].until = now }
    }
  }

  /// All products that an App Store product id ever meant; only within a time span, if given.
  func products(for storeProduct: StoreProductIdentifier, in span: ClosedRange<Timestamp>? = nil) -> [Product] {
    products(in: span) { $0.appStoreProducts.contains(storeProduct) }
  }

  /// All versions of a product with our own id within a time span.
  func products(_ id: ProductIdentifier, in span: ClosedRange<Timestamp>) -> [Product] {
    products(in: span) { $0.id == id }
  }

  private func products(in span: ClosedRange<Timestamp>?, where fits: (Product) -> Bool) -> [Product] {
    var found: [Product] = []
    var earlier: [Product] = []
    for version in versions {
      defer { earlier += version.products }
      if let span {
        let isLater = version.from > span.upperBound
        let isEarlier = version.until.map { $0 < span.lowerBound } ?? false
        if isLater || isEarlier { continue }
      }
      for product in version.products.flatMap({ Self.goingOn($0, as: earlier) })
      where fits(product) && !found.contains(product) { found.append(product) }
    }
    return found
  }

  /// An entitlement's first name, whatever its current name is.
  static func firstName(of right: String) -> String {
    String(right.prefix { $0 != "+" })
  }

  static func renamedAtAppStore(_ product: Product) -> Product {
    var renamed = product
    renamed.appStoreProducts = product.appStoreProducts.map { StoreProductIdentifier($0.text + ".new") }
    return renamed
  }

  private static func apply(_ change: CatalogPlan.Change, to products: inout [Product]) {
    switch change {
    case .add:
      if !products.contains(where: { $0.id == WorldShop.newest.id }) { products.append(WorldShop.newest) }
    case .retire, .other: return
    case .remove(let id): products.removeAll { $0.id == id }
    case .bringBack(let id):
      let first = (WorldShop.products + WorldShop.subscriptions).first { $0.id == id }
      if let first, !products.contains(where: { $0.id == id }) { products.append(first) }
    case .renameRight(let id): edit(id, &products) { $0.grant = renamed($0.grant) }
    case .giveMore(let id): edit(id, &products) { $0.grant = more($0.grant) }
    case .raisePrice(let id):
      edit(id, &products) { product in
        product.weChatPrice = product.weChatPrice.map { Money(minorUnits: $0.minorUnits + 100, currency: $0.currency) }
      }
    case .mistakeKind(let id): edit(id, &products) { $0 = ofWrongKind($0) }
    case .putKindRight(let id): edit(id, &products) { $0 = ofOwnKind($0) }
    case .renameAtAppStore(let id, let keepsOld):
      edit(id, &products) { product in
        let renamed = renamedAtAppStore(product).appStoreProducts.filter { !product.appStoreProducts.contains($0) }
        guard renamed.allSatisfy({ !$0.text.hasSuffix(".new.new") }) else { return }
        product.appStoreProducts = keepsOld ? renamed + product.appStoreProducts : renamed
      }
    }
  }

  private static func edit(_ id: ProductIdentifier, _ products: inout [Product], _ body: (inout Product) -> Void) {
    for index in products.indices where products[index].id == id { body(&products[index]) }
  }

  private static func renamed(_ grant: GrantRule) -> GrantRule {
    guard case .entitlement(let name, let period) = grant else { return grant }
    return .entitlement(EntitlementName(name.text + "+"), period: period)
  }

  private static func more(_ grant: GrantRule) -> GrantRule {
    switch grant {
    case .units(let unit, let perPiece): .units(unit, perPiece: perPiece + 3)
    case .entitlement(let name, let period):
      .entitlement(name, period: period.map { TimeSpan.milliseconds($0.milliseconds + TimeSpan.days(10).milliseconds) })
    }
  }
}
