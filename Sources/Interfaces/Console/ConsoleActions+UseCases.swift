import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import WeChatPayIntegration

// The use case behind each action, whether one operator does it or two.
extension ConsoleActions {
  /// - Parameters:
  ///   - operatorName: who is written into the journal.
  ///   - key: the idempotency key of what moves money: the press, or the approval.
  func run(_ action: ConsoleAction, _ asked: AskedAction, by operatorName: String, key: String) async throws {
    let reason = asked.reason
    switch action {
    case .redrive: _ = try await engine.redrive(DeliveryIdentifier(asked.object), in: asked.app, by: operatorName)
    case .claim:
      let purchase = asked.arguments["order"].map { ClaimedPurchase.order(OrderName($0)) }
      _ = try await engine.claimUnclaimedPayment(
        try payment(asked), for: UserIdentifier(asked.arguments["user"] ?? ""), as: purchase, by: operatorName,
        reason: reason)
    case .retry: _ = try await engine.retryPayment(try payment(asked), by: operatorName, reason: reason)
    case .release: _ = try await engine.release(try payment(asked), by: operatorName, reason: reason)
    case .setAside: _ = try await engine.setAside(try payment(asked), by: operatorName, reason: reason)
    case .askStore: _ = try await engine.askStoreNow(about: try order(asked))
    case .closeOrder:
      // An operator closes it for the team; the audit log says who.
      let order = try order(asked)
      _ = try await engine.closeOrder(
        .id(order.id), in: order.appEnvironment, of: nil, because: .closedByBackend)
    case .refund:
      // The payer sees the text of a refund, so the reason is not in it.
      _ = try await engine.refundPayment(
        try payment(asked),
        RefundRequest(
          amount: asked.arguments["amount"].flatMap { Int64($0) }, reason: nil, idempotencyKey: key,
          askedBy: operatorName))
    case .writeOff:
      _ = try await engine.writeOffDebt(
        of: UserIdentifier(asked.object), unit: UnitName(asked.arguments["unit"] ?? ""),
        in: AppEnvironment(app: asked.app, environment: asked.environment), key: key, reason: reason,
        by: operatorName)
    case .mergeUser:
      guard let app = engine.apps[asked.app] else { throw ConsoleProblem.notFound }
      _ = try await engine.mergeUser(
        UserIdentifier(asked.arguments["user"] ?? ""), into: UserIdentifier(asked.object), of: app)
    }
  }

  private func payment(_ asked: AskedAction) throws -> PaymentKey {
    let parts = asked.object.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, let store = Store(rawValue: String(parts[0])) else { throw ConsoleProblem.notFound }
    return PaymentKey(
      app: asked.app, store: store, environment: asked.environment,
      transaction: TransactionIdentifier(String(parts[1])))
  }

  private func order(_ asked: AskedAction) throws -> OrderKey {
    guard let id = OrderIdentifier(asked.object) else { throw ConsoleProblem.notFound }
    return OrderKey(appEnvironment: AppEnvironment(app: asked.app, environment: asked.environment), id: id)
  }

  /// Whether another operator has to approve it. A refund counts with all earlier ones of its payment, so that parts
  /// do not pass the limit.
  func needsSecond(_ action: ConsoleAction, _ asked: AskedAction) async throws -> Bool {
    guard let rules = settings.approvals else { return false }
    guard action == .refund else { return action.alwaysNeedsSecond }
    let key = try payment(asked)
    let (payment, refunds) = try await engine.read { (try $0.payment(key), try $0.refunds(of: key)) }
    guard let amount = asked.arguments["amount"].flatMap({ Int64($0) }) else {
      // All that is left: with what was refunded before, it is the whole price.
      guard let price = payment?.facts.price else { return true }
      return price.milliunits / 10 > rules.refundMinorUnits
    }
    var sum = amount
    for refund in refunds where refund.state.counts {
      let (next, overflow) = sum.addingReportingOverflow(refund.amount.minorUnits)
      guard !overflow else { return true }
      sum = next
    }
    return sum > rules.refundMinorUnits
  }
}

extension ConsoleAction {
  /// Whether another operator has to approve it, whatever it is about.
  var alwaysNeedsSecond: Bool { [.setAside, .writeOff, .mergeUser].contains(self) }
}
