import AppStoreProtocol
import AppStoreSimulator
import PaymentPrimitives

/// A subscription as the App Store sees it.
struct AppleSubscription: Sendable {
  let id: TransactionIdentifier
  let account: String
  let status: Status
  let periods: [SimulatedTransaction]
  /// Whether a notification about it never left the App Store.
  let isUntold: Bool

  static func all(of database: SimulatedAppStore) async throws -> [AppleSubscription] {
    let all = await database.transactions().filter { $0.period != nil && !$0.isFamilyShared && $0.repeats == nil }
    let originals = Dictionary(all.map { ($0.id, $0.originalId) }) { first, _ in first }
    let untold = Set(
      await database.notifications().filter { $0.isLost || $0.state == .neverSent }
        .compactMap { $0.facts.transaction.flatMap { originals[$0] } })
    var lines: [AppleSubscription] = []
    for (id, periods) in Dictionary(grouping: all, by: \.originalId).sorted(by: { $0.key < $1.key }) {
      guard let account = periods.first?.owner.account.text else { continue }
      lines.append(
        AppleSubscription(
          id: id, account: account, status: try await database.signedRenewalInfo(id).status, periods: periods,
          isUntold: untold.contains(id)))
    }
    return lines
  }
}
