import HTTPMessages
import Markup
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import WeChatPayIntegration

/// What an operator does: one form, one use case, one entry in the audit log.
struct ConsoleActions {
  let console: Console

  var engine: PaymentEngine { console.engine }
  var settings: ConsoleSettings { console.settings }

  func act(
    _ action: ConsoleAction, _ call: ConsoleCall, by form: WebForm, in visit: AppVisit
  ) async throws -> HTTPResponse {
    let subject = try await subject(of: action, call, visit)
    if action.needsProof, try await !console.signIn.isProved(visit.call) {
      return ConsoleSignIn.proveFirst(backTo: subject.page)
    }
    let asked = try asked(action, subject, by: form, of: visit)
    if let further = action.furtherPermission(asked.arguments), !visit.may(further) {
      // It throws, and leaves an entry.
      _ = try await console.appVisit(visit.app.id.text, visit.call, needing: further)
    }
    let what = try description(action, asked, by: form, of: visit)
    if settings.approvals != nil, action.alwaysNeedsSecond {
      return try await ask(for: asked, what, by: form, of: visit)
    }
    do {
      let result = try await engine.perform(what) { [self] in
        try await run(action, asked, by: what.actor, key: what.key)
      }
      if case .repeated(let entry) = result, entry.action == Self.approvalEntry {
        return Self.after(result, at: visit.link("approvals"))
      }
      var done = Notice.done
      if case .done(let notice) = result { done = notice }
      return Self.after(result, at: page(after: asked, of: action, subject, visit), done: done)
    } catch is RefundNeedsApproval {
      return try await ask(for: asked, what, by: form, of: visit)
    } catch let error as CodedError<EngineErrorCode> where action == .askApple {
      return try OrderNumberQuestion.response(to: error, at: subject.page)
    }
  }

  /// The page that shows what became of it.
  private func page(
    after asked: AskedAction, of action: ConsoleAction, _ subject: ActionSubject, _ visit: AppVisit
  ) -> LinkTarget {
    guard action == .extendAll else { return subject.page }
    let name = ActionField.identifier.rawValue
    return visit.link("extensions", query: [("product", asked.object), (name, asked.arguments[name] ?? "")])
  }

  /// The name in the audit log of what asks for an approval.
  private static let approvalEntry = "approval.ask"

  /// Asks another operator to approve it.
  private func ask(
    for asked: AskedAction, _ what: ActionDescription, by form: WebForm, of visit: AppVisit
  ) async throws -> HTTPResponse {
    var asking = console.description(Self.approvalEntry, visit.call, press: form["press"])
    (asking.app, asking.environment, asking.role) = (what.app, what.environment, what.role)
    asking.reason = what.reason
    let result = try await engine.askForApproval(asked, asking)
    return Self.after(result, at: visit.link("approvals"), done: .asked)
  }

  /// What an action is done on.
  struct ActionSubject {
    let kind: String
    let id: String
    let environment: StoreEnvironment
    /// The page that shows it.
    let page: LinkTarget
    var arguments: [String: String] = [:]
  }

  private func subject(
    of action: ConsoleAction, _ call: ConsoleCall, _ visit: AppVisit
  ) async throws -> ActionSubject {
    switch action {
    case .redrive:
      let id = call["delivery"]
      let delivery = try await engine.readDelivery(DeliveryIdentifier(id), of: visit.app.id)
      let order = delivery.order.map { OrderKey(appEnvironment: delivery.payment.appEnvironment, id: $0) }
      return ActionSubject(
        kind: "delivery", id: id, environment: delivery.payment.environment,
        page: order.map { visit.link(to: $0) } ?? visit.link("deliveries", id))
    case .askApple: return try OrderNumberQuestion.subject(call, visit)
    case .retryAll, .redriveAll, .pauseEndpoint, .resumeEndpoint, .applyNotification, .reconcile, .assign:
      return try runningSubject(of: action, call, visit)
    case .claim, .retry, .release, .setAside, .refund, .notePayment, .decideRefund:
      let key = try console.paymentKey(call, visit)
      return ActionSubject(
        kind: "payment", id: "\(key.store.rawValue):\(key.transaction)", environment: key.environment,
        page: visit.link(to: key))
    case .closeOrder, .askStore, .note:
      guard let id = OrderIdentifier(call["order"]) else { throw ConsoleProblem.notFound }
      let environment = try environment(of: call)
      let key = OrderKey(appEnvironment: AppEnvironment(app: visit.app.id, environment: environment), id: id)
      return ActionSubject(
        kind: "order", id: id.description, environment: environment, page: visit.link(to: key))
    case .answerComplaint, .approveComplaintRefund, .refuseComplaintRefund, .completeComplaint:
      let id = call["complaint"]
      return ActionSubject(
        kind: "complaint", id: id, environment: visit.app.home, page: visit.link("complaints", id))
    case .writeOff, .creditBalance: return try userSubject(call, visit, with: "unit")
    case .revokeEntitlement: return try userSubject(call, visit, with: "promotional")
    case .liftLimit: return try userSubject(call, visit, with: "currency")
    case .extend:
      let (original, environment) = (call["original"], try environment(of: call))
      return ActionSubject(
        kind: "subscription", id: original, environment: environment,
        page: visit.link("subscriptions", original, query: [("environment", environment.rawValue)]))
    case .extendAll:
      return ActionSubject(
        kind: "product", id: call["product"], environment: visit.app.home, page: visit.link("extensions"))
    case .redirect:
      let (number, home) = (call["number"], visit.app.homeEnvironment)
      let refund = try await engine.read { try $0.refund(number, in: home) }
      return ActionSubject(
        kind: "refund", id: number, environment: home.environment,
        page: refund.map { visit.link(to: $0.payment) } ?? visit.link("refunds"))
    case .mergeUser, .giveEntitlement, .setLimit, .eraseUser: return try userSubject(call, visit, with: nil)
    }
  }

  /// A user.
  ///
  /// - Parameter part: the part of the path that is an argument of the action.
  private func userSubject(_ call: ConsoleCall, _ visit: AppVisit, with part: String?) throws -> ActionSubject {
    let (user, environment) = (call["user"], try environment(of: call))
    return ActionSubject(
      kind: "user", id: user, environment: environment, page: visit.link(to: UserIdentifier(user), in: environment),
      arguments: part.map { [$0: call[$0]] } ?? [:])
  }

  /// Of what runs: the queue, messages, endpoints, notifications, comparisons.
  private func runningSubject(
    of action: ConsoleAction, _ call: ConsoleCall, _ visit: AppVisit
  ) throws -> ActionSubject {
    switch action {
    case .retryAll:
      return ActionSubject(
        kind: "app", id: visit.app.id.text, environment: visit.app.home, page: visit.link("needs-attention"))
    case .redriveAll:
      let environment = try environment(of: call)
      return ActionSubject(
        kind: "app", id: visit.app.id.text, environment: environment,
        page: visit.link(
          "deliveries", query: [("state", "parked"), ("environment", environment.rawValue)]))
    case .pauseEndpoint, .resumeEndpoint:
      return ActionSubject(
        kind: "endpoint", id: call["endpoint"], environment: visit.app.home, page: visit.link("endpoints"))
    case .applyNotification:
      let (id, environment) = (call["notification"], try environment(of: call))
      return ActionSubject(
        kind: "notification", id: id, environment: environment,
        page: visit.link("notifications", id, query: [("environment", environment.rawValue)]))
    case .assign:
      return ActionSubject(
        kind: "item", id: call["item"], environment: try environment(of: call), page: visit.link("needs-attention"))
    default:
      return ActionSubject(
        kind: "app", id: visit.app.id.text, environment: visit.app.home, page: visit.link("reconciliation"))
    }
  }

  private func environment(of call: ConsoleCall) throws -> StoreEnvironment {
    guard let environment = StoreEnvironment(rawValue: call["environment"]) else { throw ConsoleProblem.notFound }
    return environment
  }

  /// The action with everything that it needs.
  ///
  /// - Throws: `formInvalid`.
  private func asked(
    _ action: ConsoleAction, _ subject: ActionSubject, by form: WebForm, of visit: AppVisit
  ) throws -> AskedAction {
    let reason = try ReasonField.text(of: form)
    var arguments = subject.arguments
    for field in action.fields(namesPurchase: true) {
      guard let text = form[field.rawValue] else { continue }
      guard text.utf8.count <= field.bytesMax else {
        throw ConsoleProblem.formInvalid(BilingualText("A field is too long.", "某项内容过长。"))
      }
      arguments[field.rawValue] = text
    }
    try ActionFields.check(action, arguments)
    if let yuan = arguments["amount"] {
      guard let fen = Self.fen(yuan) else {
        throw ConsoleProblem.formInvalid(BilingualText("State the amount like 6.00.", "请按 6.00 的格式填写金额。"))
      }
      arguments["amount"] = "\(fen)"
    }
    return AskedAction(
      app: visit.app.id, environment: subject.environment, action: action.entry, objectKind: subject.kind,
      object: subject.id, arguments: arguments, reason: reason)
  }

  /// `6`, `6.5` or `6.00` yuan in fen.
  static func fen(_ yuan: String) -> Int64? {
    let parts = yuan.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let digits = Set("0123456789")
    guard (1...9).contains(parts[0].count), parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(digits.contains) }),
      parts.count == 1 || parts[1].count <= 2, let whole = Int64(parts[0])
    else { return nil }
    let rest = parts.count == 1 ? "00" : String((parts[1] + "0").prefix(2))
    guard let hundredths = Int64(rest), whole > 0 || hundredths > 0 else { return nil }
    return whole * 100 + hundredths
  }

  /// The action for the audit log, with the reason and the press of its form.
  private func description(
    _ action: ConsoleAction, _ asked: AskedAction, by form: WebForm, of visit: AppVisit
  ) throws -> ActionDescription {
    guard let press = form["press"], press.utf8.count == 32 else {
      throw ConsoleProblem.formInvalid(BilingualText("Open the page again.", "请重新打开页面。"))
    }
    var what = console.description(action.entry, visit.call, press: press)
    what.role = visit.role
    Self.describe(asked, in: &what)
    return what
  }

  static func describe(_ asked: AskedAction, in what: inout ActionDescription) {
    what.app = asked.app
    what.environment = asked.environment
    what.objectKind = asked.objectKind
    what.object = asked.object
    what.reason = asked.reason
  }

  static func after<Value>(
    _ result: ActionResult<Value>, at target: LinkTarget, done: Notice = .done
  ) -> HTTPResponse {
    let notice: Notice =
      switch result {
      case .done: done
      case .repeated: .repeated
      }
    let separator = target.text.contains("?") ? "&" : "?"
    return HTTPResponse(
      status: 303, fields: ["Location": "\(target.text)\(separator)\(Notice.name)=\(notice.rawValue)"])
  }
}
