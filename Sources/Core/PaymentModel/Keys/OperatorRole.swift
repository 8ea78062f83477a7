/// The role of an operator key: which calls it may make.
///
/// A role does not always include the ones before it: support claims payments and gives no money back, finance gives
/// money back and claims none.
package enum OperatorRole: String, Hashable, CaseIterable, Sendable {
  /// Searches and reads. Personal fields are masked.
  case viewer
  /// Helps customers: sees personal fields, claims payments, sends a delivery again.
  case support
  /// Gives money back, and compares with the stores.
  case finance
  /// Keeps the system running: releases, sets aside, retries, audits.
  case `operator`
  /// May do everything, also make keys.
  case admin

  package var permissions: Set<OperatorPermission> {
    switch self {
    case .viewer: [.read]
    case .support: [.read, .readPersonalData, .assist]
    case .finance: [.read, .readPersonalData, .moveMoney]
    case .operator: [.read, .readPersonalData, .assist, .operate]
    case .admin: Set(OperatorPermission.allCases)
    }
  }
}

/// What a call of an operator needs.
package enum OperatorPermission: String, Hashable, CaseIterable, Sendable {
  /// Search and read.
  case read
  /// See fields that name a person or a device; others see that there is a value.
  case readPersonalData
  /// Give one payment to its buyer, decide again about it, send one delivery again, ask a store.
  case assist
  /// Give money back, write debts off, compare with a store.
  case moveMoney
  /// Set aside, release, retry everything, decide about disputed refunds, audit.
  case operate
  /// Make and revoke keys.
  case administer

  /// The roles with this permission, in their order.
  package var roles: [OperatorRole] { OperatorRole.allCases.filter { $0.permissions.contains(self) } }
}
