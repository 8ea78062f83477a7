import AppStoreProtocol
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

extension SimulatedAppStore {
  /// The place of a product that an account wants to buy.
  ///
  /// - Throws: `alreadySubscribed` when the account has it and no other product is to follow.
  static func place(
    of product: SimulatedProduct, for owner: AppOwner, with offer: String?, _ decision: CommandContext
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

  /// Changes the renewal product of a subscription, if the purchase does only that. Nothing is charged.
  ///
  /// - Returns: the current transaction; nil when the purchase needs a charge.
  static func changeRenewal(
    _ place: PlaceInGroup, _ product: SimulatedProduct, app: SimulatedApp, offer: SimulatedOffer?,
    decision: inout CommandContext
  ) -> TransactionIdentifier? {
    let (line, latest, next): (SimulatedLine, SimulatedTransaction, StoreProductIdentifier?)
    switch place {
    case .first, .again, .better: return nil
    case .following(let its, let transaction): (line, latest, next) = (its, transaction, product.id)
    case .back(let its, let transaction): (line, latest, next) = (its, transaction, nil)
    }
    // Choosing the same following product again changes nothing.
    guard line.next != next || offer != nil else { return latest.id }
    let subtype: Subtype? = next == nil ? nil : .downgrade
    let notification = decision.notification(
      offer == nil ? .didChangeRenewalPreference(subtype) : .other(.offerRedeemed, subtype), about: latest)
    decision.event = .renewalPreferenceSet(line.id, next, offer, notification)
    decision.claimIfSentBeforeAnswer(notification, app)
    return latest.id
  }
}

extension CommandContext {
  /// The offer for the charge of a purchase: the named one, otherwise the introductory one for a customer who never had
  /// one in the group. The team's signature may decide otherwise (rules AS-OFF-1, AS-OFF-2, AS-OFF-5 to AS-OFF-7).
  ///
  /// - Throws: `offerNotAllowed`, `offerSignatureInvalid`.
  func offer(
    for request: SimulatedPurchaseRequest, _ product: SimulatedProduct, _ place: PlaceInGroup,
    testKey: SimulatedAPIKey
  ) throws(CodedError<SimulatorErrorCode>) -> SimulatedOffer? {
    let gate = OfferGate(state: state, testKey: testKey, realTime: realTime)
    guard let name = request.offerIdentifier else {
      let isIntroduced: Bool
      switch (try gate.introductoryOffer(of: request), place) {
      case (nil, .first), (true?, .first), (true?, .again): isIntroduced = true
      case (nil, _), (false?, _), (true?, _): isIntroduced = false
      }
      return isIntroduced ? product.offers.first { $0.kind == .introductoryOffer } : nil
    }
    guard let offer = product.offers.first(where: { $0.identifier == name }) else {
      throw CodedError(.offerNotAllowed, "\(product.id) has no offer \(name).")
    }
    if offer.kind == .promotionalOffer { try gate.admit(name, to: request) }
    let isAllowed: Bool
    switch (offer.kind, place) {
    case (.introductoryOffer, _): isAllowed = false
    case (.promotionalOffer, .first): isAllowed = false
    case (.winBackOffer, .again(let line)): isAllowed = state.lines[line.id] != nil
    case (.winBackOffer, _): isAllowed = false
    case (.promotionalOffer, _), (.offerCode, _): isAllowed = true
    }
    guard isAllowed else { throw CodedError(.offerNotAllowed, "Offer \(name) is not for this customer.") }
    return offer
  }

  /// Rule AS-SUB-7: an upgrade refunds the unused part of the paid time, to the second.
  func upgrade(from earlier: SimulatedTransaction, to id: TransactionIdentifier) -> SimulatedUpgrade {
    let whole = SimulatedRevocation.wholePercentage
    let start = earlier.purchaseDate.seconds
    let end = earlier.period?.expiresDate.seconds ?? start
    let unused = min(max(0, end - second.seconds), max(0, end - start))
    let share = end > start ? whole * unused / (end - start) : 0
    return SimulatedUpgrade(by: id, refundPercentage: min(share, whole - (earlier.revocation?.percentage ?? 0)))
  }
}
