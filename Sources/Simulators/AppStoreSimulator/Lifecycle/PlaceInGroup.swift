import PaymentPrimitives

/// The relation of a bought product to the account's subscriptions in the same group.
enum PlaceInGroup {
  /// The account never had a subscription of the group, or the product belongs to none.
  case first
  /// The account had a subscription, which ended: it continues (rule AS-SUB-5).
  case again(SimulatedSubscription)
  /// The product replaces the current subscription at once (rules AS-SUB-7, AS-SUB-9).
  case better(SimulatedSubscription, from: SimulatedTransaction)
  /// The product follows the current subscription, at the end of the period (rules AS-SUB-8, AS-SUB-9).
  case following(SimulatedSubscription, SimulatedTransaction)
  /// The product is the current one: the purchase cancels a planned change (rule AS-SUB-10), or plans an offer (rule
  /// AS-OFF-3).
  case back(SimulatedSubscription, SimulatedTransaction)

  var subscription: SimulatedSubscription? {
    switch self {
    case .first: nil
    case .again(let subscription), .better(let subscription, _), .following(let subscription, _),
      .back(let subscription, _):
      subscription
    }
  }
}

extension PlaceInGroup {
  /// The place of a product that an account wants to buy.
  ///
  /// - Throws: `alreadySubscribed` when the account has it and no other product is to follow.
  static func of(
    _ product: SimulatedProduct, for owner: AppOwner, with offer: String?, _ decision: CommandContext
  ) throws(CodedError<SimulatorErrorCode>) -> PlaceInGroup {
    guard case .autoRenewable(let group, let length) = product.kind else { return .first }
    let ids = decision.state.transactionsByOwner[owner] ?? []
    let subscription = ids.lazy.compactMap { decision.state.subscriptions[$0] }
      .first { $0.group == group && $0.sharedFrom == nil }
    guard let subscription else { return .first }
    let latest = try decision.transaction(subscription.latest)
    guard let period = latest.period, period.expiresDate > decision.now, latest.revocation?.isWhole != true else {
      return .again(subscription)
    }
    guard latest.product != product.id else {
      guard subscription.next != nil || offer != nil else {
        throw CodedError(.alreadySubscribed, "It lasts until \(period.expiresDate.iso8601).")
      }
      return .back(subscription, latest)
    }
    let present = decision.state.products[owner.bundleId]?[latest.product]
    guard let present, case .autoRenewable(_, let presentLength) = present.kind else { return .again(subscription) }
    // 1 is the best level (rules AS-SUB-7 to AS-SUB-9).
    let isAtOnce = product.level < present.level || (product.level == present.level && length == presentLength)
    return isAtOnce ? .better(subscription, from: latest) : .following(subscription, latest)
  }
}
