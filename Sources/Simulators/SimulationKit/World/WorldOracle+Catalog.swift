import AppStoreSimulator
import PaymentModel
import PaymentPrimitives

// The promised grant of a charge, from the world's own record of the configuration.

extension WorldOracle {
  /// The possible grants of a charge. If exactly one sheet sold it, they come from the catalogs between tap and sheet;
  /// otherwise from any catalog of the world.
  func promises(for charge: SimulatedCharge) -> [Product] {
    let sold = charge.transaction
    // The signed kind is always right: a configured wrong kind grants nothing, whatever the order says.
    let all = context.catalog.products(for: sold.product).filter { !WorldCatalog.isOfWrongKind($0) }
    guard sold.period == nil, let token = truths[sold.id]?.token,
      charges.count(where: { truths[$0.transaction.id]?.token == token }) == 1
    else { return all }
    let sheets = phones.flatMap(\.sheets).filter {
      $0.token.appAccountToken == token && $0.product == sold.product && $0.quantity == sold.quantity
    }
    guard let sheet = sheets.first, sheets.count == 1, let tapped = sheet.tappedAt else { return all }
    let spoken = context.catalog.products(for: sold.product, in: tapped...max(tapped, sheet.openedAt))
    return spoken.contains(where: WorldCatalog.isOfWrongKind) ? all : spoken
  }
}
