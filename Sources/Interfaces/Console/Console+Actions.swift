import HTTPMessages
import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives

// What an operator does: one form, one use case, one entry in the audit log.
extension Console {
  func act(_ path: [String], _ call: SignedInVisit) async throws -> HTTPResponse {
    if path == ["leave"] { return try await signOut(call) }
    guard path.count >= 5, path[0] == "app", let action = ConsoleAction(rawValue: path[path.count - 1]) else {
      throw ConsoleProblem.notFound
    }
    let form = try await form(call)
    let visit = try await appVisit(path[1], call, needing: action.permission)
    let subject = Array(path.dropFirst(2).dropLast())
    switch (action, subject.first, subject.count) {
    case (.redrive, "deliveries", 2):
      return try await redrive(DeliveryIdentifier(subject[1]), by: form, in: visit)
    case (.claim, "payments", 4), (.retry, "payments", 4), (.release, "payments", 4), (.setAside, "payments", 4):
      return try await act(action, on: try paymentKey(subject, visit), by: form, in: visit)
    case (.closeOrder, "orders", 3), (.askStore, "orders", 3):
      guard let environment = StoreEnvironment(rawValue: subject[1]), let id = OrderIdentifier(subject[2]) else {
        throw ConsoleProblem.notFound
      }
      let key = OrderKey(appEnvironment: AppEnvironment(app: visit.app.id, environment: environment), id: id)
      return try await act(action, on: key, by: form, in: visit)
    default: throw ConsoleProblem.notFound
    }
  }

  private func redrive(_ id: DeliveryIdentifier, by form: WebForm, in visit: AppVisit) async throws -> HTTPResponse {
    let delivery = try await engine.readDelivery(id, of: visit.app.id)
    let what = try description(
      .redrive, in: delivery.payment.environment, on: ("delivery", id.text), by: form, of: visit)
    let app = visit.app.id
    let result = try await engine.perform(what) { [engine] in
      try await engine.redrive(id, in: app, by: what.actor)
    }
    let order = delivery.order.map { OrderKey(appEnvironment: delivery.payment.appEnvironment, id: $0) }
    return Self.after(result, at: order.map { visit.link(to: $0) } ?? visit.link("deliveries", id.text))
  }

  private func act(
    _ action: ConsoleAction, on key: PaymentKey, by form: WebForm, in visit: AppVisit
  ) async throws -> HTTPResponse {
    let what = try description(
      action, in: key.environment, on: ("payment", "\(key.store.rawValue):\(key.transaction)"), by: form, of: visit)
    let reason = what.reason ?? ""
    let claim = try action == .claim ? claim(form, on: key) : nil
    let result = try await engine.perform(what) { [engine] in
      switch action {
      case .release: _ = try await engine.release(key, by: what.actor, reason: reason)
      case .setAside: _ = try await engine.setAside(key, by: what.actor, reason: reason)
      case .claim:
        if let claim {
          _ = try await engine.claimUnclaimedPayment(
            key, for: claim.user, as: claim.purchase, by: what.actor, reason: reason)
        }
      default: _ = try await engine.retryPayment(key, by: what.actor, reason: reason)
      }
    }
    return Self.after(result, at: visit.link(to: key))
  }

  /// Who is to get a payment, and as what.
  private func claim(_ form: WebForm, on key: PaymentKey) throws -> (user: UserIdentifier, purchase: ClaimedPurchase?) {
    guard let user = form["user"], user.utf8.count <= 255 else {
      throw ConsoleProblem.formInvalid(BilingualText("Name the user who gets it.", "请填写获得该支付的用户。"))
    }
    return (UserIdentifier(user), form["order"].map { .order(OrderName($0)) })
  }

  private func act(
    _ action: ConsoleAction, on key: OrderKey, by form: WebForm, in visit: AppVisit
  ) async throws -> HTTPResponse {
    let environment = key.appEnvironment.environment
    let what = try description(action, in: environment, on: ("order", key.id.description), by: form, of: visit)
    let result = try await engine.perform(what) { [engine] in
      if action == .askStore {
        _ = try await engine.askStoreNow(about: key)
      } else {
        // An operator closes it for the team; the audit log says who.
        _ = try await engine.closeOrder(
          .id(key.id), in: key.appEnvironment, of: nil, because: .closedByBackend)
      }
    }
    return Self.after(result, at: visit.link(to: key))
  }

  /// The action for the audit log, with the reason and the press of its form.
  ///
  /// - Throws: `formInvalid` without a reason.
  private func description(
    _ action: ConsoleAction, in environment: StoreEnvironment, on object: (kind: String, id: String),
    by form: WebForm, of visit: AppVisit
  ) throws -> ActionDescription {
    guard let reason = form["reason"], ActionDescription.reasonLength.contains(reason.count) else {
      throw ConsoleProblem.formInvalid(
        BilingualText("State the reason, in 3 to 1,000 characters.", "请填写原因（3 到 1,000 个字符）。"))
    }
    guard let press = form["press"], press.utf8.count == 32 else {
      throw ConsoleProblem.formInvalid(BilingualText("Open the page again.", "请重新打开页面。"))
    }
    var what = description(action.entry, visit.call, press: press)
    what.app = visit.app.id
    what.environment = environment
    what.role = visit.role
    what.objectKind = object.kind
    what.object = object.id
    what.reason = reason
    return what
  }

  private static func after<Value>(_ result: ActionResult<Value>, at target: LinkTarget) -> HTTPResponse {
    let notice: Notice =
      switch result {
      case .done: .done
      case .repeated: .repeated
      }
    let separator = target.text.contains("?") ? "&" : "?"
    return HTTPResponse(
      status: 303, fields: ["Location": "\(target.text)\(separator)\(Notice.name)=\(notice.rawValue)"])
  }
}
