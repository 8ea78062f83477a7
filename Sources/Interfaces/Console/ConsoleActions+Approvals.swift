import HTTPMessages
import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives

// What one operator asks for and another decides (record 272).
extension ConsoleActions {
  func showApprovals(_ visit: AppVisit) async throws -> HTTPResponse {
    guard settings.approvals != nil else { throw ConsoleProblem.notFound }
    let found = try await engine.approvals(of: visit.app.id)
    var effects: [String: [ApprovalEffect]] = [:]
    for approval in found where approval.state(at: visit.visit.now) == .asked {
      effects[approval.id] = try await self.effects(of: approval)
    }
    let page = ApprovalPage(
      visit: visit, approvals: found.map { ($0, mayDecide($0, visit)) }, effects: effects, now: visit.visit.now)
    return console.page(Words.approvals[visit.language], page.markup, for: visit, at: .approvals)
  }

  /// Whether it waits for a decision of this operator: somebody else asked, and their own role allows the action.
  func mayDecide(_ approval: Approval, _ visit: AppVisit) -> Bool {
    guard let action = ConsoleAction(entry: approval.action) else { return false }
    let state = approval.state(at: visit.visit.now)
    return approval.askedBy != visit.call.account.name && visit.may(action.permission)
      && (state == .asked || state == .approved) && approval.digest != Approval.erasedDigest
  }

  func decide(
    _ id: String, approves: Bool, _ caller: AppVisit, by form: WebForm
  ) async throws -> HTTPResponse {
    guard settings.approvals != nil else { throw ConsoleProblem.notFound }
    let app = caller.app.id
    let call = caller.call
    let approval = try await engine.approval(id, of: app)
    guard let action = ConsoleAction(entry: approval.action), let asked = approval.asked else {
      throw ConsoleProblem.notFound
    }
    let visit = try await console.appVisit(app.text, call, needing: action.permission)
    let page = visit.link("approvals")
    guard try await console.signIn.isProved(call) else { return ConsoleSignIn.proveFirst(backTo: page) }
    guard let press = form["press"], press.utf8.count == 32, let digest = form["digest"] else {
      throw ConsoleProblem.formInvalid(BilingualText("Open the page again.", "请重新打开页面。"))
    }
    var what = console.description(approves ? "approval.approve" : "approval.refuse", call, press: press)
    Self.describe(asked, in: &what)
    (what.objectKind, what.object, what.role) = ("approval", approval.id, visit.role)
    what.reason = try ReasonField.text(of: form)
    let decision = try await engine.decide(approval.id, of: app, digest: digest, approves: approves, what)
    guard approves else { return Self.after(decision, at: page) }
    // A repeated press only tells how the first one ended, which may have been a refusal.
    let decided = try await engine.approval(approval.id, of: app)
    guard decided.isApproved else { return Self.after(decision, at: page) }
    return try await run(approval, as: action, with: asked, by: visit, at: page)
  }

  /// Runs an approved action, once: its key is that of the approval, whoever presses, and however often.
  private func run(
    _ approval: Approval, as action: ConsoleAction, with asked: AskedAction, by visit: AppVisit, at page: LinkTarget
  ) async throws -> HTTPResponse {
    var what = ActionDescription(
      action.entry, by: .account, visit.call.account.name.text, key: "approval " + approval.id)
    Self.describe(asked, in: &what)
    (what.role, what.address, what.requestId) = (visit.role, visit.visit.peer, visit.visit.requestId)
    let names = "\(approval.askedBy), approved by \(visit.call.account.name)"
    do {
      let result = try await engine.perform(what) { [self] in
        try await run(action, asked, by: names, key: approval.id, isApproved: true)
      }
      var done = Notice.done
      switch result {
      case .repeated(let entry): try await engine.noteOutcome(of: approval.id, problem: entry.problem)
      case .done(let notice):
        done = notice
        try await engine.noteOutcome(of: approval.id, problem: nil)
      }
      return Self.after(result, at: page, done: done)
    } catch let error as CodedError<EngineErrorCode> where error.code.retry != .later {
      try await engine.noteOutcome(of: approval.id, problem: error.code.rawValue)
      throw error
    }
  }
}

extension ConsoleAction {
  /// The action of that name in the audit log.
  init?(entry: String) {
    guard let action = Self.allCases.first(where: { $0.entry == entry }) else { return nil }
    self = action
  }
}
