import PaymentModel
import PaymentPrimitives
import TOMLConfiguration

/// Reads the `[[app.product]]` tables of an app.
struct CatalogReading {
  let table: ConfigurationTable

  init(_ table: ConfigurationTable) { self.table = table }

  struct Reading {
    let catalog: Catalog
    /// The descriptions that payers read at WeChat Pay, for the products that have one.
    let weChatDescriptions: [ProductIdentifier: String]
  }

  /// - Parameter isRetired: whether the app no longer sells anything; it may then have no product.
  func catalog(isRetired: Bool) -> Reading? {
    let tables = table.tables("product")
    if tables.isEmpty, !isRetired {
      table.refuse("product", .missingKey, details: "At least one [[app.product]] is needed.")
    }
    let products = tables.compactMap { product($0) }
    guard products.count == tables.count, isRetired || !products.isEmpty else { return nil }
    do throws(Catalog.Problem) {
      let described = products.compactMap { entry in entry.weChatDescription.map { (entry.product.id, $0) } }
      let retired = products.filter { !$0.isSold }.map(\.product.id)
      return Reading(
        catalog: try Catalog(products.map(\.product), retired: Set(retired)),
        weChatDescriptions: Dictionary(described) { first, _ in first })
    } catch {
      table.refuse("product", .contradiction, details: Self.explanation(of: error))
      return nil
    }
  }

  private struct Entry {
    let product: Product
    let weChatDescription: String?
    let isSold: Bool
  }

  private func product(_ table: ConfigurationTable) -> Entry? {
    let id = table.required("id", .string(bytes: 1...255))
    let kind: ProductKind? = table.required("kind", .word)
    let storeProducts =
      table.optional(
        "app_store_product_ids", .list(of: .string(bytes: 1...255))) ?? []
    let price = table.optional("wechat_price_fen", .integer(in: 1...1_000_000_000))
    let description = table.optional("wechat_description", .string(bytes: 1...381))
    let isPhysical = table.value("physical", .bool, default: false)
    let isSold = table.value("sold", .bool, default: true)
    let debt: DebtPolicy? = table.optional("debt", .word)
    let grant = grant(table)
    if debt != nil, case .entitlement? = grant {
      table.refuse("debt", .contradiction, details: "A right is taken back as it is; only units can be owed.")
    }
    guard let id, let kind, let grant else { return nil }
    let product = Product(
      id: ProductIdentifier(id), kind: kind, grant: grant,
      appStoreProducts: storeProducts.map { StoreProductIdentifier($0) },
      weChatPrice: price.map { Money(minorUnits: $0, currency: .cny) }, isPhysical: isPhysical,
      debt: debt ?? .negative)
    return Entry(product: product, weChatDescription: description, isSold: isSold)
  }

  private func grant(_ table: ConfigurationTable) -> GrantRule? {
    let units = table.table("units")
    let entitlement = table.optional("entitlement", .string(bytes: 1...255))
    let period = table.optional("period", .duration(in: .minutes(1) ... .days(3660)))
    if let units, entitlement == nil {
      let unit = units.required("unit", .string(bytes: 1...64))
      let amount = units.required("amount", .integer(in: 1...1_000_000_000_000))
      guard let unit, let amount else { return nil }
      if period != nil { table.refuse("period", .contradiction, details: "Units have no period.") }
      return .units(UnitName(unit), perPiece: amount)
    }
    guard let entitlement, units == nil else {
      table.refuse(
        nil, .contradiction,
        details: "A product gives either units = { unit = \"coin\", amount = 100 } or entitlement = \"name\".")
      return nil
    }
    return .entitlement(EntitlementName(entitlement), period: period)
  }

  private static func explanation(of problem: Catalog.Problem) -> String {
    switch problem {
    case .doubledProduct(let id): "Two products have the id \(id)."
    case .doubledStoreProduct(let id): "Two products claim the App Store product id \(id)."
    case .grantDoesNotFitKind(let id):
      "\(id) gives what its kind cannot: units are for consumables and non-consumables, a period for nonRenewing."
    case .soldNowhere(let id):
      "\(id) is sold by no store: app_store_product_ids or wechat_price_fen is needed, or sold = false."
    }
  }
}
