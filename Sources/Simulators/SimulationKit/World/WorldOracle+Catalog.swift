import AppStoreSimulator
import PaymentModel
import PaymentPrimitives

// What was promised for a charge: by the world's own notes of the configuration.

extension WorldOracle {
  /// What a charge may give: by the catalog as it stood between the tap and the sheet where one sheet sold it,
  /// otherwise by any catalog that ever was.
  func promises(for charge: SimulatedCharge) -> [Product] {
    let sold = charge.transaction
    // What the store signs is of its own kind: by a wrong one nothing is granted, whatever the order says.
    let all = stage.catalog.products(for: sold.product).filter { !WorldCatalog.isOfWrongKind($0) }
    guard sold.period == nil, let token = truths[sold.id]?.token,
      charges.count(where: { truths[$0.transaction.id]?.token == token }) == 1
    else { return all }
    let sheets = phones.flatMap(\.sheets).filter {
      $0.token.appAccountToken == token && $0.product == sold.product && $0.quantity == sold.quantity
    }
    guard let sheet = sheets.first, sheets.count == 1, let tapped = sheet.tappedAt else { return all }
    let spoken = stage.catalog.products(for: sold.product, in: tapped...max(tapped, sheet.openedAt))
    return spoken.contains(where: WorldCatalog.isOfWrongKind) ? all : spoken
  }
}
