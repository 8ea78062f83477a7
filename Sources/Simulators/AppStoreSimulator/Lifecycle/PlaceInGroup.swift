import PaymentPrimitives

/// The relation of a bought product to the account's subscriptions in the same group.
enum PlaceInGroup {
  /// The account never had a subscription of the group, or the product belongs to none.
  case first
  /// The account had a subscription, which ended: it continues (rule AS-SUB-5).
  case again(SimulatedLine)
  /// The product replaces the current subscription at once (rules AS-SUB-7, AS-SUB-9).
  case better(SimulatedLine, from: SimulatedTransaction)
  /// The product follows the current subscription, at the end of the period (rules AS-SUB-8, AS-SUB-9).
  case following(SimulatedLine, SimulatedTransaction)
  /// The product is the current one: the purchase cancels a planned change (rule AS-SUB-10), or plans an offer (rule
  /// AS-OFF-3).
  case back(SimulatedLine, SimulatedTransaction)

  var line: SimulatedLine? {
    switch self {
    case .first: nil
    case .again(let line), .better(let line, _), .following(let line, _), .back(let line, _): line
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
    let line = ids.lazy.compactMap { decision.state.lines[$0] }
      .first { $0.group == group && $0.sharedFrom == nil }
    guard let line else { return .first }
    let latest = try decision.transaction(line.latest)
    guard let period = latest.period, period.expiresDate > decision.now, latest.revocation?.isWhole != true else {
      return .again(line)
    }
    guard latest.product != product.id else {
      guard line.next != nil || offer != nil else {
        throw CodedError(.alreadySubscribed, "It lasts until \(period.expiresDate.iso8601).")
      }
      return .back(line, latest)
    }
    let present = decision.state.products[owner.bundleId]?[latest.product]
    guard let present, case .autoRenewable(_, let presentLength) = present.kind else { return .again(line) }
    // 1 is the best level (rules AS-SUB-7 to AS-SUB-9).
    let isAtOnce = product.level < present.level || (product.level == present.level && length == presentLength)
    return isAtOnce ? .better(line, from: latest) : .following(line, latest)
  }
}
