import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import WeChatPayIntegration

/// What an approved action would change: how it stands now, and afterwards.
struct ApprovalEffect {
  let name: BilingualText
  let before: String
  let after: String
}

extension ConsoleActions {
  /// What the approver sees beside the arguments. It is read now, so it may differ from what the asker saw.
  func effects(of approval: Approval) async throws -> [ApprovalEffect] {
    guard let action = ConsoleAction(entry: approval.action), let asked = approval.asked else { return [] }
    switch action {
    case .setAside:
      let key = try payment(asked)
      guard let payment = try await engine.read({ try $0.payment(key) }) else { return [] }
      return [ApprovalEffect(name: Words.payment, before: payment.state.name, after: "held: setAside")]
    case .refund: return try await refundEffect(of: try payment(asked), asked)
    case .approveComplaintRefund:
      guard let app = engine.apps[asked.app] else { return [] }
      let story = try await engine.tellComplaint(asked.object, of: app)
      guard let payment = story.payments.first else { return [] }
      return try await refundEffect(of: payment.key, asked)
    case .writeOff:
      let unit = UnitName(asked.arguments["unit"] ?? "")
      let realm = AppEnvironment(app: asked.app, environment: asked.environment)
      let user = UserIdentifier(asked.object)
      guard let balance = try await engine.read({ try $0.balance(of: user, unit: unit, in: realm) }) else { return [] }
      return [ApprovalEffect(name: BilingualText(unit.text, unit.text), before: "\(balance.amount)", after: "0")]
    case .mergeUser: return try await mergeEffect(asked)
    default: return []
    }
  }

  private func refundEffect(of key: PaymentKey, _ asked: AskedAction) async throws -> [ApprovalEffect] {
    let (known, refunds) = try await engine.read { (try $0.payment(key), try $0.refunds(of: key)) }
    guard let price = known?.facts.price, price.currency == CurrencyCode.cny.code else { return [] }
    let total = price.milliunits / 10
    let refunded = refunds.filter(\.state.counts).reduce(0) { $0 + $1.amount.minorUnits }
    let amount = asked.arguments["amount"].flatMap { Int64($0) } ?? total - refunded
    func yuan(_ fen: Int64) -> String { Display.text(Money(minorUnits: fen, currency: .cny)) }
    return [
      ApprovalEffect(
        name: BilingualText("Refunded of \(yuan(total))", "已退款（共 \(yuan(total))）"), before: yuan(refunded),
        after: yuan(refunded + amount))
    ]
  }

  /// The balances of the user who gets everything.
  private func mergeEffect(_ asked: AskedAction) async throws -> [ApprovalEffect] {
    let realm = AppEnvironment(app: asked.app, environment: asked.environment)
    let (into, from) = (UserIdentifier(asked.object), UserIdentifier(asked.arguments["user"] ?? ""))
    let (kept, added) = try await engine.read { reader in
      (try reader.balances(of: into, in: realm), try reader.balances(of: from, in: realm))
    }
    let units = Set((kept + added).map(\.unit.text)).sorted()
    return units.map { unit in
      let before = kept.first { $0.unit.text == unit }?.amount ?? 0
      let more = added.first { $0.unit.text == unit }?.amount ?? 0
      return ApprovalEffect(name: BilingualText(unit, unit), before: "\(before)", after: "\(before + more)")
    }
  }
}
