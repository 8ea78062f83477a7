import AppStoreSimulator
import PaymentPrimitives

/// The App Store's own record behind a payment that waits for an operator, and who bought it.
struct ClaimablePurchases: Sendable {
  let appStore: WorldAppStore
  let phones: [WorldPhone]

  /// All transactions of the App Store, at present.
  func sold() async throws -> [SimulatedTransaction] { try await appStore.insist { await $0.transactions() } }

  /// The transaction that was paid where the server holds this id: the same one, or the one that it repeats.
  func paid(for id: TransactionIdentifier, among sold: [SimulatedTransaction]) -> SimulatedTransaction? {
    guard let held = sold.first(where: { $0.id == id }) else { return nil }
    return sold.first { $0.id == held.repeats ?? held.id }
  }

  /// The user who opened the sheet. If several users match, or the token was lost, one of the possible users.
  func buyer(of sold: SimulatedTransaction) -> UserIdentifier? {
    let sheets = phones.flatMap(\.sheets)
    if let token = sold.appAccountToken?.text {
      return sheets.filter { $0.token.appAccountToken == token }.flatMap(\.users).min()
    }
    return sheets.filter { sheet in
      sheet.account == sold.owner.account.text && sheet.product == sold.product
        && sheet.openedAt <= sold.purchaseDate + .seconds(1)
    }.flatMap(\.users).min()
  }
}
