import Console
import PaymentServer
import Testing

/// What the server can do for operators, and where the console has it.
@Suite struct `The console beside the routes of operators` {
  private static let pages: [String: String] = [
    "Search": "app/{app}/search", "TellOrder": "app/{app}/orders/{order}", "ListOrders": "app/{app}/orders",
    "TellPayment": "app/{app}/payments/{store}/{environment}/{transaction}", "ListPayments": "app/{app}/payments",
    "TellUser": "app/{app}/users/{user}", "ReadRefundRatio": "app/{app}/users/{user}",
    "ReadEntries": "app/{app}/users/{user}/balances/{unit}",
    "ListDeliveries": "app/{app}/deliveries", "ReadDelivery": "app/{app}/deliveries/{delivery}",
    "OperatorQueue": "app/{app}/needs-attention", "ListRefunds": "app/{app}/orders/{order}",
    "ListRefundsOfApp": "app/{app}/refunds", "ListSubscriptions": "app/{app}/subscriptions",
    "TellSubscription": "app/{app}/subscriptions/{original}", "ListReconciliations": "app/{app}/reconciliation",
    "ReadReconciliation": "app/{app}/reconciliation/{store}/{day}",
    "ReadRevenueReport": "app/{app}/reports", "ListConsumptionRequests": "app/{app}/consumption-requests",
    "TellMassExtension": "app/{app}/extensions", "ListComplaints": "app/{app}/complaints",
    "ReadNotification": "app/{app}/notifications/{notification}",
    "TellComplaint": "app/{app}/complaints/{complaint}", "ListNotifications": "app/{app}/notifications",
  ]

  /// What the console does not have, and why.
  private static let absent: [String: String] = [
    "ReadMetrics": "for machines", "ReadDiagnostics": "no page yet", "ListEvents": "a feed for programs",
    "RefundOrder": "the payment's page refunds, also without an order",
    "AuditInvariants": "counterfoil audit",
    "ListKeys": "counterfoil keys", "CreateKey": "counterfoil keys",
    "RevokeKey": "counterfoil keys",
  ]

  @Test func `has a page, a button, or a reason for each use case`() {
    let actions = Set(ConsoleAction.allCases.compactMap(\.useCase))
    let useCases = Set(OperatorPermissions.ofRoutes.keys)
    #expect(useCases == actions.union(Self.pages.keys).union(Self.absent.keys))
    #expect(actions.isDisjoint(with: Self.absent.keys) && Set(Self.pages.keys).isDisjoint(with: Self.absent.keys))
  }

  @Test func `names routes that are there`() {
    let routes = Set(ConsoleRoutes.all.filter { $0.method == "GET" }.map(\.path))
    for (useCase, path) in Self.pages { #expect(routes.contains(path), "\(useCase)") }
  }

  @Test func `calls what it does in the audit log as the routes of the API do`() {
    for action in ConsoleAction.allCases {
      guard let useCase = action.useCase else { continue }
      #expect(OperatorAudit.words[useCase]?.action == action.entry, "\(action)")
    }
  }
}
