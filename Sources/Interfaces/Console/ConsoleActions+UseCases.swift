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
      _ = try await engine.refundPayment(
        try payment(asked), refund(asked, by: operatorName, key: key, isApproved: isApproved))
    case .answerComplaint, .approveComplaintRefund, .refuseComplaintRefund, .completeComplaint:
      try await handleComplaint(
        action, asked, refund: refund(asked, by: operatorName, key: key, isApproved: isApproved))
    case .writeOff:
      _ = try await engine.writeOffDebt(
        of: UserIdentifier(asked.object), unit: UnitName(asked.arguments["unit"] ?? ""),
        in: AppEnvironment(app: asked.app, environment: asked.environment), key: key, reason: reason,
        by: operatorName)
    case .creditBalance, .giveEntitlement, .revokeEntitlement, .setLimit, .liftLimit:
      try await runForUser(action, asked, by: operatorName, key: key)
    case .extend, .extendAll, .redirect: return try await runAtStore(action, asked, by: operatorName)
    case .askApple: return try await OrderNumberQuestion.ask(asked, by: engine)
    case .note, .notePayment, .retryAll, .redriveAll, .reconcile, .decideRefund, .pauseEndpoint, .resumeEndpoint,
      .applyNotification, .assign:
      try await runLater(action, asked, by: operatorName)
    case .mergeUser:
      guard let app = engine.apps[asked.app] else { throw ConsoleProblem.notFound }
      _ = try await engine.mergeUser(
        UserIdentifier(asked.arguments["user"] ?? ""), into: UserIdentifier(asked.object), of: app)
    case .eraseUser:
      guard let app = engine.apps[asked.app] else { throw ConsoleProblem.notFound }
      _ = try await engine.eraseUser(UserIdentifier(asked.object), of: app, isForced: asked.isForced)
    }
    return .done
  }

  private func runLater(_ action: ConsoleAction, _ asked: AskedAction, by operatorName: String) async throws {
    switch action {
    case .note: try await engine.addNote(asked.reason, on: .order(try order(asked)), by: operatorName)
    case .notePayment: try await engine.addNote(asked.reason, on: .payment(try payment(asked)), by: operatorName)
    case .retryAll: _ = try await engine.retryStoppedChanges(in: asked.app)
    case .redriveAll:
      _ = try await engine.redriveParked(
        in: AppEnvironment(app: asked.app, environment: asked.environment), by: operatorName)
    case .reconcile:
      guard let app = engine.apps[asked.app] else { throw ConsoleProblem.notFound }
      guard asked.arguments["store"] == Store.weChatPay.rawValue else {
        _ = try await engine.reconcileAppStore(app)
        return
      }
      if case .later(let why) = try await engine.reconcileWeChatPay(asked.arguments["day"] ?? "", for: app) {
        throw CodedError<EngineErrorCode>(.billNotReady, why)
      }
    case .assign:
      guard let app = engine.apps[asked.app] else { throw ConsoleProblem.notFound }
      func account(_ field: ActionField) -> OperatorName? {
        asked.arguments[field.rawValue].map { OperatorName($0) }
      }
      _ = try await engine.assign(
        asked.object, of: app, to: account(.assignee), seen: account(.formerAssignee), by: operatorName)
    case .pauseEndpoint:
      try await engine.pauseEndpoint(asked.object, of: asked.app, by: operatorName, reason: asked.reason)
    case .resumeEndpoint: try await engine.resumeEndpoint(asked.object, of: asked.app)
    case .applyNotification:
      guard let app = engine.apps[asked.app] else { throw ConsoleProblem.notFound }
      try await engine.applyNotificationAgain(
        asked.object, in: AppEnvironment(app: asked.app, environment: asked.environment), for: app)
    default:
      _ = try await engine.decideDisputedRefund(
        try payment(asked), stands: asked.arguments["stands"] == "yes", by: operatorName, reason: asked.reason)
    }
  }

  /// What only the store can do, which is asked for the state first.
  private func runAtStore(
    _ action: ConsoleAction, _ asked: AskedAction, by operatorName: String
  ) async throws -> Notice {
    guard let app = engine.apps[asked.app] else { throw ConsoleProblem.notFound }
    let reason = OperatorReason(name: operatorName, text: asked.reason)
    if action == .redirect {
      let result = try await engine.redirectRefund(
        asked.object, to: try ActionFields.destination(asked.arguments), for: app, reason: reason)
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

  private func refund(
    _ asked: AskedAction, by operatorName: String, key: String, isApproved: Bool
  ) -> RefundRequest {
    var request = RefundRequest(
      amount: asked.arguments["amount"].flatMap { Int64($0) }, reason: nil, idempotencyKey: key,
      askedBy: operatorName)
    request.limitForOneOperator = isApproved ? nil : settings.approvals?.refundMinorUnits
    return request
  }

  private func handleComplaint(
    _ action: ConsoleAction, _ asked: AskedAction, refund: RefundRequest
  ) async throws {
    guard let app = engine.apps[asked.app] else { throw ConsoleProblem.notFound }
    let reason = OperatorReason(name: refund.askedBy, text: asked.reason)
    let text = asked.arguments["text"] ?? ""
    var act = ComplaintAct.complete
    switch action {
    case .answerComplaint: act = .answer(text, talk: asked.arguments[ActionField.talk.rawValue] ?? "")
    case .refuseComplaintRefund: act = .refuseRefund(text)
    case .approveComplaintRefund:
      // The refund comes first: WeChat Pay makes none, and the customer is told of nothing that may fail.
      let story = try await engine.tellComplaint(asked.object, of: app)
      guard let payment = story.payments.first else {
        throw CodedError<EngineErrorCode>(.complaintNotChanged, "None of its payments is known here.")
      }
      // One that is there is not made again: the server may have ended before it told the customer.
      if !story.refunds.contains(where: { $0.payment == payment.key && $0.state.counts }) {
        // The key names the complaint, not the press: two operators who press at once mean one refund.
        var refund = refund
        let earlier = story.refunds.filter { $0.payment == payment.key }.count
        refund.idempotencyKey = "complaint:\(asked.object):\(earlier)"
        _ = try await engine.refundPayment(payment.key, refund)
      }
      act = .approveRefund
    default: break
    }
    try await engine.handleComplaint(asked.object, act, for: app, reason: reason)
  }

  func payment(_ asked: AskedAction) throws -> PaymentKey {
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
  var alwaysNeedsSecond: Bool {
    [.setAside, .writeOff, .extendAll, .mergeUser, .eraseUser, .creditBalance].contains(self)
  }
}
