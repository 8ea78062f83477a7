import AppStoreIntegration
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
  ///   - isApproved: whether another operator agreed, so that the limit for one does not hold.
  /// - Returns: what the operator is told.
  /// - Throws: `RefundNeedsApproval`.
  func run(
    _ action: ConsoleAction, _ asked: AskedAction, by operatorName: String, key: String, isApproved: Bool = false
  ) async throws -> Notice {
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
      var request = RefundRequest(
        amount: asked.arguments["amount"].flatMap { Int64($0) }, reason: nil, idempotencyKey: key,
        askedBy: operatorName)
      request.limitForOneOperator = isApproved ? nil : settings.approvals?.refundMinorUnits
      _ = try await engine.refundPayment(try payment(asked), request)
    case .writeOff:
      _ = try await engine.writeOffDebt(
        of: UserIdentifier(asked.object), unit: UnitName(asked.arguments["unit"] ?? ""),
        in: AppEnvironment(app: asked.app, environment: asked.environment), key: key, reason: reason,
        by: operatorName)
    case .extend, .extendAll, .redirect: return try await runAtStore(action, asked, by: operatorName)
    case .mergeUser:
      guard let app = engine.apps[asked.app] else { throw ConsoleProblem.notFound }
      _ = try await engine.mergeUser(
        UserIdentifier(asked.arguments["user"] ?? ""), into: UserIdentifier(asked.object), of: app)
    }
    return .done
  }

  /// What only the store can do, which is asked for the state first.
  private func runAtStore(
    _ action: ConsoleAction, _ asked: AskedAction, by operatorName: String
  ) async throws -> Notice {
    guard let app = engine.apps[asked.app] else { throw ConsoleProblem.notFound }
    let reason = OperatorReason(name: operatorName, text: asked.reason)
    if action == .redirect {
      let result = try await engine.redirectRefund(
        asked.object, to: try Self.destination(asked.arguments), for: app, reason: reason)
      if case .notStuck = result { return .notSent }
      return .done
    }
    let wish = try ExtensionWish(asked.arguments, of: action)
    guard action == .extend, let end = wish.periodEnd else {
      _ = try await engine.extendAllSubscribers(
        to: StoreProductIdentifier(asked.object), try wish.massRequest(), storefronts: wish.storefronts,
        in: asked.environment, for: app, reason: reason)
      return .done
    }
    let result = try await engine.extendSubscription(
      TransactionIdentifier(asked.object), endingAt: end, by: wish.days, wish.cause, in: asked.environment, for: app,
      reason: reason)
    if case .endsElsewhere = result { return .notSent }
    return .done
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
}

extension ConsoleAction {
  /// Whether another operator has to approve it, whatever it is about.
  var alwaysNeedsSecond: Bool { [.setAside, .writeOff, .extendAll, .mergeUser].contains(self) }
}
