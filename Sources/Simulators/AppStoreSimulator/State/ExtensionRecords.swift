import PaymentPrimitives
import SimulatorCore

/// Applies extensions of renewal dates to the simulator's state.
enum ExtensionRecords {
  static func apply(
    _ extended: SimulatedRenewalExtension, to state: inout SimulatorState
  ) throws(StateInconsistency) {
    let transaction = try lengthen(extended.transaction, until: extended.until, in: &state)
    state.subscriptions[transaction.originalId]?.noteExtension(at: extended.notification.signedDate)
    for member in extended.members { _ = try lengthen(member.transaction, until: extended.until, in: &state) }
    state.noteDue(transaction.originalId)
    try state.add(extended.notification)
    for member in extended.members { try state.add(member.notification) }
    if let number = extended.request {
      try changeRequest(number, in: &state) { request in
        _ = request.remaining.popLast()
        request.succeeded += 1
      }
    }
  }

  static func apply(_ change: MassExtensionChange, to state: inout SimulatorState) throws(StateInconsistency) {
    switch change {
    case .asked(var request):
      request.remaining = concerned(by: request, in: state)
      state.massExtensions.append(request)
    case .failed(let number, let notification):
      try changeRequest(number, in: &state) { request in
        _ = request.remaining.popLast()
        request.failed += 1
      }
      try state.add(notification)
    case .ended(let number, let notification):
      try changeRequest(number, in: &state) { $0.completeDate = notification.signedDate }
      try state.add(notification)
    }
  }

  /// Whether a mass request has the identifier of an earlier one.
  static func isUsed(_ request: SimulatedMassExtension, in state: SimulatorState) -> Bool {
    state.massExtensions.contains {
      $0.requestIdentifier == request.requestIdentifier && $0.bundleId == request.bundleId
        && $0.environment == request.environment
    }
  }

  private static func changeRequest(
    _ number: Int, in state: inout SimulatorState, _ change: (inout SimulatedMassExtension) -> Void
  ) throws(StateInconsistency) {
    guard state.massExtensions.indices.contains(number) else {
      throw StateInconsistency("There is no mass extension \(number).")
    }
    change(&state.massExtensions[number])
  }

  private static func lengthen(
    _ id: TransactionIdentifier, until end: Timestamp, in state: inout SimulatorState
  ) throws(StateInconsistency) -> SimulatedTransaction {
    let transaction = try state.changed(id) { $0.period = $0.period?.lasting(until: end) }
    state.note(changeOf: id)
    return transaction
  }

  /// The subscriptions that customers themselves pay for and that have not ended, the first one last.
  private static func concerned(by request: SimulatedMassExtension, in state: SimulatorState) -> [TransactionIdentifier]
  {
    state.subscriptions.values
      .filter { subscription in
        guard subscription.owner.bundleId == request.bundleId, subscription.sharedFrom == nil,
          subscription.standing.end == nil, let latest = state.transactions[subscription.latest],
          latest.product == request.product, latest.environment == request.environment,
          latest.revocation?.isWhole != true
        else { return false }
        return request.storefronts?.contains(latest.storefront.country) ?? true
      }
      .map(\.id).sorted { $1 < $0 }
  }
}
