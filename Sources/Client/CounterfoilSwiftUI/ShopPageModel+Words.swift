public import Counterfoil
import PaymentPrimitives

extension ShopPageModel {
  /// The text for the state of an order.
  public func words(for order: OpenOrder) -> String {
    let key: CustomerMessageKey =
      switch order.phase {
      case .deferred: .outcome(.pendingApproval)
      case .paid: .outcome(.awaitingConfirmation)
      case .setAside: .outcome(.held)
      case .created, .paying, .failedOnce, .owned: .event(.orderOpen)
      }
    return messages.text(key, in: language)
  }

  /// The text for the state of an entitlement.
  public func words(for entitlement: Entitlement) -> String { messages.text(of: entitlement, in: language) }

  /// The text for what prevents a purchase, the most important first; empty if nothing is known to.
  public var obstacles: [String] {
    (state.availability?.problems ?? []).map { messages.text(.error($0), in: language) }
  }
}
