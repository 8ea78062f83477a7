import PaymentPrimitives
import SimulatorCore

// Extensions of renewal dates.

extension SimulatorState {
  mutating func apply(_ extended: SimulatedRenewalExtension) throws(StateInconsistency) {
    let transaction = try lengthen(extended.transaction, until: extended.until)
    subscriptions[transaction.originalId]?.noteExtension(at: extended.notification.signedDate)
    for member in extended.members { _ = try lengthen(member.transaction, until: extended.until) }
    noteDue(transaction.originalId)
    try add(extended.notification)
    for member in extended.members { try add(member.notification) }
    if let number = extended.request {
      try changeRequest(number) { request in
        _ = request.remaining.popLast()
        request.succeeded += 1
      }
    }
  }

  mutating func apply(_ change: MassExtensionChange) throws(StateInconsistency) {
    switch change {
    case .asked(var request):
      request.remaining = concerned(by: request)
      massExtensions.append(request)
    case .failed(let number, let notification):
      try changeRequest(number) { request in
        _ = request.remaining.popLast()
        request.failed += 1
      }
      try add(notification)
    case .ended(let number, let notification):
      try changeRequest(number) { $0.completeDate = notification.signedDate }
      try add(notification)
    }
  }

  private mutating func changeRequest(
    _ number: Int, _ change: (inout SimulatedMassExtension) -> Void
  ) throws(StateInconsistency) {
    guard massExtensions.indices.contains(number) else {
      throw StateInconsistency("There is no mass extension \(number).")
    }
    change(&massExtensions[number])
  }

  private mutating func lengthen(
    _ id: TransactionIdentifier, until end: Timestamp
  ) throws(StateInconsistency) -> SimulatedTransaction {
    let transaction = try changed(id) { $0.period = $0.period?.lasting(until: end) }
    note(changeOf: id)
    return transaction
  }

  /// The subscriptions that customers themselves pay for and that have not ended, the first one last.
  private func concerned(by request: SimulatedMassExtension) -> [TransactionIdentifier] {
    subscriptions.values
      .filter { subscription in
        guard subscription.owner.bundleId == request.bundleId, subscription.sharedFrom == nil,
          subscription.standing.end == nil, let latest = transactions[subscription.latest],
          latest.product == request.product, latest.environment == request.environment,
          latest.revocation?.isWhole != true
        else { return false }
        return request.storefronts?.contains(latest.storefront.country) ?? true
      }
      .map(\.id).sorted { $1 < $0 }
  }

  /// The length of an extension. Where a month lasts five minutes, a day lasts ten seconds, and the sum is cut off to
  /// whole minutes (rule AS-EXT-1).
  func extensionSpan(days count: Int64, _ environment: SimulatedEnvironment) -> TimeSpan {
    let span = days(count, environment)
    return isAccelerated(environment) ? .minutes(span.milliseconds / 60_000) : span
  }
}
