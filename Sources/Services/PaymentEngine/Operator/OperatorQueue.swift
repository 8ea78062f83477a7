import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives
import StrictJSON

extension PaymentEngine {
  /// The payments in the operator's queue of an app environment, oldest first.
  package func operatorQueue(in appEnvironment: AppEnvironment, limit: Int) async throws -> [Payment] {
    try await operatorQueue(in: [appEnvironment], limit: limit)
  }

  /// The payments that wait for an operator in several app environments: held, unclaimed and set aside.
  ///
  /// The environments form one queue: none of them hides an older payment of another.
  package func operatorQueue(in appEnvironments: [AppEnvironment], limit: Int) async throws -> [Payment] {
    let everything = Timestamp(milliseconds: .max)
    let waiting = try await read { reader in
      try appEnvironments.flatMap { appEnvironment in
        // A stored payment that turned out to be a duplicate no longer waits.
        try ["held", "unclaimed", "setAside"].flatMap { state in
          try reader.payments(inState: state, firstSeenBefore: everything, in: appEnvironment, limit: limit)
        }.filter { try reader.duplicate($0.key) == nil }
      }
    }
    return Array(
      waiting.sorted { ($0.firstSeenAt, $0.key) < ($1.firstSeenAt, $1.key) }.prefix(max(0, limit)))
  }

  /// The stopped changes of money in several app environments, ordered by the time they were first stopped.
  package func stoppedChanges(in appEnvironments: [AppEnvironment], limit: Int) async throws -> [StoppedChange] {
    let stopped = try await read { reader in
      try appEnvironments.flatMap { try reader.stoppedChanges(in: $0, limit: limit) }
    }
    return Array(
      stopped.sorted { ($0.firstSeenAt, $0.payment) < ($1.firstSeenAt, $1.payment) }.prefix(max(0, limit)))
  }
}

extension PaymentEngine {
  /// The sold products of an app that the configuration lacks. It includes apps that are not configured at all,
  /// because their operators have no key.
  package func configurationGaps(of app: AppIdentifier) async throws -> [ConfigurationGap] {
    let apps = apps
    return try await read { reader in
      try apps.gaps(to: reader).filter { $0.app == app || apps[$0.app] == nil }
    }
  }
}

extension PaymentEngine {
  /// Grants of earlier versions without a stored promise, in several app environments: their amounts did not divide
  /// evenly.
  package func grantsOfUnknownPromise(in appEnvironments: [AppEnvironment], limit: Int) async throws -> [Grant] {
    let grants = try await read { reader in
      try appEnvironments.flatMap { try reader.grantsOfUnknownPromise(in: $0, limit: limit) }
    }
    return Array(grants.prefix(max(0, limit)))
  }
}

extension StoppedChange {
  /// The users who presented it, each once, in order.
  package var presenters: [UserIdentifier] {
    var users: [UserIdentifier] = []
    for text in presentations {
      let claim = (try? JSONReader.read(text.utf8))?["claim"].flatMap { OwnershipClaim(text: $0.text) }
      if let user = claim?.user, !users.contains(user) { users.append(user) }
    }
    return users
  }
}

extension PaymentState {
  /// How a payment in this state leaves the operator's queue; nil for one that is not in it.
  package var resolution: OperatorResolution? {
    switch self {
    case .held(let reason): reason.resolution
    case .unclaimed: OperatorQueueTable.unclaimed
    case .setAside: OperatorQueueTable.setAside
    case .verified, .fulfilled, .revoked, .imported, .reversed, .reinstated: nil
    }
  }
}
