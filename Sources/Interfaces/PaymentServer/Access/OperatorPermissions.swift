package import PaymentModel
import PaymentPrimitives

/// What each route that takes an operator key needs. Roles stand in `OperatorRole.permissions`.
package enum OperatorPermissions {
  /// By the name of the use case.
  package static let ofRoutes: [String: OperatorPermission] = [
    "Search": .read, "TellOrder": .read, "TellPayment": .read, "TellUser": .read, "ListDeliveries": .read,
    "ReadDelivery": .read, "ReadNotification": .read, "OperatorQueue": .read, "ListRefunds": .read,
    "ReadRefundRatio": .read, "ReadEntries": .read, "ReadMetrics": .read, "ListOrders": .read, "ListPayments": .read,
    "ListRefundsOfApp": .read, "ListSubscriptions": .read, "TellSubscription": .read, "ListReconciliations": .read,
    "ReadReconciliation": .read, "TellMassExtension": .read, "ListConsumptionRequests": .read, "ReadDiagnostics": .read,
    "ListEvents": .read, "ReadRevenueReport": .read, "ListComplaints": .read, "TellComplaint": .read,
    "ListNotifications": .read, "AssignItem": .assist,
    "LookUpOrder": .assist, "ClaimUnclaimedPayment": .assist, "RetryPayment": .assist, "RedriveDelivery": .assist,
    "AnswerComplaint": .assist, "CompleteComplaint": .assist,
    "RefundOrder": .moveMoney, "RefundPayment": .moveMoney, "WriteOffDebt": .moveMoney, "RedirectRefund": .moveMoney,
    "Reconcile": .moveMoney,
    "RetryStoppedChanges": .operate, "SetAsidePayment": .operate, "ReleasePayment": .operate,
    "DecideDisputedRefund": .operate, "AuditInvariants": .operate, "ExtendSubscription": .operate,
    "ExtendAllSubscribers": .administer, "EraseUser": .administer,
    "ListKeys": .administer, "CreateKey": .administer, "RevokeKey": .administer,
  ]

  /// A route without an entry is for admins alone.
  static func needed(for route: Route) -> OperatorPermission { ofRoutes[route.name] ?? .administer }

  /// - Throws: `role_not_allowed`.
  static func check(_ role: OperatorRole, for route: Route) throws(CodedError<ServerErrorCode>) {
    let needed = needed(for: route)
    guard !role.permissions.contains(needed) else { return }
    throw CodedError(
      .roleNotAllowed,
      "The key's role is \(role.rawValue). Allowed: \(needed.roles.map(\.rawValue).joined(separator: ", ")).")
  }
}
