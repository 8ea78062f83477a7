package import PaymentDatabase
import PaymentModel
package import PaymentPrimitives

/// A promise in the database that the configuration no longer provides for (docs/specification/invariants.md, 4.7).
///
/// No purchase stops because of it. A missing product is no longer sold, and otherwise continues with the data stored
/// with each grant. A changed kind continues as it was. `counterfoil config check` rejects such a configuration; a
/// start only reports it.
package enum ConfigurationGap: Hashable, Comparable, Sendable {
  /// An app with grants or subscriptions is not configured.
  case appMissing(AppIdentifier)
  /// A product with grants is not in the catalog.
  case productMissing(AppIdentifier, ProductIdentifier)
  /// An App Store product is in no product of the catalog. Either a subscription waits for its owner, or our own id
  /// of the granted product is not known.
  case storeProductMissing(AppIdentifier, StoreProductIdentifier)
  /// A product with grants now has another kind.
  case kindChanged(AppIdentifier, ProductIdentifier, was: ProductKind, configured: ProductKind)

  package var app: AppIdentifier {
    switch self {
    case .appMissing(let app), .productMissing(let app, _), .storeProductMissing(let app, _),
      .kindChanged(let app, _, _, _):
      app
    }
  }

  /// The gap as a stable word: `appMissing`, `productMissing`, `storeProductMissing`, `kindChanged`.
  package var name: String {
    switch self {
    case .appMissing: "appMissing"
    case .productMissing: "productMissing"
    case .storeProductMissing: "storeProductMissing"
    case .kindChanged: "kindChanged"
    }
  }

  /// The missing or changed item: an app id, our product id, or the App Store's.
  package var subject: String {
    switch self {
    case .appMissing(let app): app.text
    case .productMissing(_, let product), .kindChanged(_, let product, _, _): product.text
    case .storeProductMissing(_, let product): product.text
    }
  }

  /// The problem, and what to write into the configuration.
  package var text: BilingualText {
    switch self {
    case .appMissing(let app):
      BilingualText(
        "The app \(app) has purchases and is not configured. Put it back, with retired = true if it sells nothing.",
        "应用 \(app) 已有购买记录，但未在配置中。请恢复该应用；若不再销售，请设 retired = true。")
    case .productMissing(let app, let product):
      BilingualText(
        "The product \(product) of \(app) was granted and is missing. Put it back; sold = false retires it.",
        "应用 \(app) 的商品 \(product) 已有入账，但配置中没有。请恢复该商品；若不再销售，请设 sold = false。")
    case .storeProductMissing(let app, let product):
      BilingualText(
        "No product of \(app) has the App Store id \(product), which was bought. Put it into app_store_product_ids.",
        "应用 \(app) 没有商品使用已被购买的 App Store 商品号 \(product)。请将其加入 app_store_product_ids。")
    case .kindChanged(let app, let product, let was, let configured):
      BilingualText(
        "The product \(product) of \(app) was granted as \(was.rawValue) and is \(configured.rawValue) now. "
          + "Write the former kind, and give another kind a new id.",
        "应用 \(app) 的商品 \(product) 曾按 \(was.rawValue) 入账，现为 \(configured.rawValue)。请改回原类型；其他类型请使用新的商品号。")
    }
  }

  private var place: (AppIdentifier, String, String) { (app, name, subject) }

  package static func < (a: ConfigurationGap, b: ConfigurationGap) -> Bool { a.place < b.place }
}

extension AppDirectory {
  /// The promises in the database that this configuration does not provide for, by (app, word, subject).
  package func gaps(to reader: any DatabaseReader) throws -> [ConfigurationGap] {
    let promised = Dictionary(grouping: try reader.promisedProducts()) { $0.app }
    let waiting = Dictionary(grouping: try reader.waitingSubscriptions()) { $0.app }
    var gaps: Set<ConfigurationGap> = []
    for app in Set(promised.keys).union(waiting.keys) {
      guard let catalog = self[app]?.catalog else {
        gaps.insert(.appMissing(app))
        continue
      }
      let products = Dictionary(grouping: promised[app] ?? []) { $0.product }
      for (id, kinds) in products {
        for promise in kinds {
          if let gap = gap(of: promise, kinds: Set(kinds.map(\.kind)), in: catalog[id], catalog) {
            gaps.insert(gap)
          }
        }
      }
      for subscription in waiting[app] ?? [] where catalog.product(for: subscription.storeProduct) == nil {
        gaps.insert(.storeProductMissing(app, subscription.storeProduct))
      }
    }
    return gaps.sorted()
  }

  private func gap(
    of promise: PromisedProduct, kinds: Set<ProductKind>, in entry: Product?, _ catalog: Catalog
  ) -> ConfigurationGap? {
    guard !promise.isStoreProduct else {
      let storeProduct = StoreProductIdentifier(promise.product.text)
      return catalog.product(for: storeProduct) == nil ? .storeProductMissing(promise.app, storeProduct) : nil
    }
    guard let entry else { return .productMissing(promise.app, promise.product) }
    guard !kinds.contains(entry.kind) else { return nil }
    return .kindChanged(promise.app, promise.product, was: promise.kind, configured: entry.kind)
  }

  /// The apps adapted to a database: a product with a changed kind continues as it was promised last.
  ///
  /// - Returns: the apps, with the findings in `gaps`; the same apps if there are none.
  package func goingOn(over reader: any DatabaseReader) throws -> AppDirectory {
    let gaps = try gaps(to: reader)
    var apps = all
    for case .kindChanged(let app, let product, let was, _) in gaps {
      let promised = PromisedProduct(app: app, product: product, isStoreProduct: false, kind: was)
      guard let promise = try reader.newestGrant(of: promised)?.promise, let rule = promise.rule,
        let index = apps.firstIndex(where: { $0.id == app })
      else { continue }
      var products = apps[index].catalog.products
      for entry in products.indices where products[entry].id == product {
        products[entry].kind = was
        products[entry].grant = rule
        products[entry].debt = promise.debt
      }
      if let catalog = try? Catalog(products, retired: apps[index].catalog.retired) { apps[index].catalog = catalog }
    }
    return AppDirectory(apps, gaps: gaps)
  }
}

extension PaymentEngine {
  /// What the configuration of this run lacks, as found at start: rows of the operator's queue.
  package var configurationGaps: [ConfigurationGap] { apps.gaps }

  /// Logs each gap, at start.
  func tellOfGaps() {
    for gap in apps.gaps {
      metrics.count(.configurationGapsTotal, [("app", gap.app.text), ("gap", gap.name)])
      log(
        LogEvent(
          .warning, "configuration.\(gap.name)",
          [("app", gap.app.text), ("subject", gap.subject), ("words", gap.text.english)]))
    }
  }
}
