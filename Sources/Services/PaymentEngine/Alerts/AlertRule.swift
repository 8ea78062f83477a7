package import PaymentPrimitives

/// The conditions about which the server alerts by itself. The names are those of `ops/counterfoil.rules.yml` and of
/// the sections of `docs/alerts.md`.
package enum AlertRule: String, Hashable, CaseIterable, Sendable {
  case invariantBroken = "CounterfoilInvariantBroken"
  case changesStopped = "CounterfoilChangesStopped"
  case undelivered = "CounterfoilUndelivered"
  case deliveriesParked = "CounterfoilDeliveriesParked"
  case paidWaitsForAPerson = "CounterfoilPaidWaitsForAPerson"
  case complaintDue = "CounterfoilComplaintDue"
  case reconciliationDiffers = "CounterfoilReconciliationDiffers"
  case reconciliationMissing = "CounterfoilReconciliationMissing"
  case notificationsSilent = "CounterfoilNotificationsSilent"
  case forgeries = "CounterfoilForgeries"
  case appStoreUnreachable = "CounterfoilAppStoreUnreachable"
  case weChatPayUnreachable = "CounterfoilWeChatPayUnreachable"
  case purchaseToGrantSlow = "CounterfoilPurchaseToGrantSlow"
  case notWritable = "CounterfoilNotWritable"
  case commitsLost = "CounterfoilCommitsLost"
  case commitSlow = "CounterfoilCommitSlow"
  case diskFull = "CounterfoilDiskFull"
  case backupOld = "CounterfoilBackupOld"
  case certificateExpires = "CounterfoilCertificateExpires"

  /// How urgent an alert is.
  package enum Severity: String, CaseIterable, Comparable, Sendable {
    /// Look on the next working day.
    case ticket
    /// Wake a person.
    case page

    package static func < (a: Severity, b: Severity) -> Bool { a == .ticket && b == .page }
  }

  package var severity: Severity {
    switch self {
    case .invariantBroken, .changesStopped, .undelivered, .complaintDue, .notificationsSilent, .appStoreUnreachable,
      .weChatPayUnreachable, .notWritable, .commitsLost, .commitSlow, .diskFull:
      .page
    case .deliveriesParked, .paidWaitsForAPerson, .reconciliationDiffers, .reconciliationMissing, .forgeries,
      .purchaseToGrantSlow, .backupOld, .certificateExpires:
      .ticket
    }
  }

  /// How long the condition must hold before it is told. A rule of Prometheus adds the age that its expression demands.
  package var lasting: TimeSpan {
    switch self {
    case .invariantBroken, .complaintDue, .reconciliationDiffers, .backupOld, .certificateExpires,
      .reconciliationMissing, .commitsLost:
      .zero
    case .paidWaitsForAPerson: .days(1)
    case .notWritable: .minutes(1)
    case .undelivered, .deliveriesParked, .notificationsSilent, .forgeries, .appStoreUnreachable,
      .weChatPayUnreachable, .commitSlow:
      .minutes(10)
    case .changesStopped, .purchaseToGrantSlow, .diskFull: .minutes(15)
    }
  }

  /// The section of `docs/alerts.md` that says what to do.
  package var anchor: String { rawValue.lowercased() }
}
