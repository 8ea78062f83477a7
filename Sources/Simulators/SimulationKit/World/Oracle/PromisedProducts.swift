import AppStoreSimulator
import PaymentModel
import PaymentPrimitives

/// The products that a charge was sold as, from the world's own record of the configuration.
struct PromisedProducts: Sendable {
  let records: WorldRecords

  /// The products whose grant a charge may have promised. If exactly one sheet sold it, they come from the catalogs
  /// between tap and sheet; otherwise from any catalog of the world.
  func products(for charge: SimulatedCharge) -> [Product] {
    let sold = charge.transaction
    // The signed kind is always right: a configured wrong kind grants nothing, whatever the order says.
    let all = records.context.catalog.products(for: sold.product).filter { !WorldCatalog.isOfWrongKind($0) }
    // A further id may carry the token of a later order, and an operator may give it as that order's purchase.
    guard records.context.operatorBook.claimedId(of: sold.id).map({ $0 == sold.id }) ?? true else { return all }
    guard sold.period == nil, let token = records.truths[sold.id]?.token,
      records.charges.count(where: { records.truths[$0.transaction.id]?.token == token }) == 1
    else { return all }
    let sheets = records.phones.flatMap(\.sheets).filter {
      $0.token.appAccountToken == token && $0.product == sold.product && $0.quantity == sold.quantity
    }
    guard let sheet = sheets.first, sheets.count == 1, let tapped = sheet.tappedAt else { return all }
    // The sheet may be for an order that the vault kept since an earlier tap: its id tells when it was made.
    let made = OrderIdentifier(token).map { Timestamp(milliseconds: Int64($0.high >> 16)) } ?? tapped
    let spoken = records.context.catalog.products(
      for: sold.product, in: min(made, tapped)...max(tapped, sheet.openedAt))
    return spoken.contains(where: WorldCatalog.isOfWrongKind) ? all : spoken
  }

  /// Whether every catalog of the world sold the product.
  func isAlwaysInCatalog(_ product: StoreProductIdentifier) -> Bool {
    records.context.catalog.versions.allSatisfy { version in
      version.products.contains { $0.appStoreProducts.contains(product) }
    }
  }

  /// Whether the catalog once named a wrong kind for the product, and no longer contains it at the end. An order from
  /// that time holds no grantable content.
  func wasDroppedUnderAWrongKind(_ product: StoreProductIdentifier) -> Bool {
    let versions = records.context.catalog.versions.map { version in
      version.products.filter { $0.appStoreProducts.contains(product) }
    }
    let kinds = Set(WorldShop.products.filter { $0.appStoreProducts.contains(product) }.map(\.kind))
    return versions.last?.isEmpty == true && versions.joined().contains { !kinds.contains($0.kind) }
  }
}
