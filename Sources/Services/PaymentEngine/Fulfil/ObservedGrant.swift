package import PaymentModel
package import PaymentPrimitives
package import StrictJSON

/// What a payment would have granted if Counterfoil had not only observed (`mode: observe`).
package struct ObservedGrant: Hashable, Sendable {
  package let payment: PaymentKey
  package let user: UserIdentifier
  package let rule: MatchRule
  package let flags: Set<MatchFlag>
  /// Units or an entitlement; nil if the catalog no longer knows the product.
  package let content: GrantContent?

  /// What a payment would have granted by the catalog; nil unless it arrived while Counterfoil observed.
  package init?(_ payment: Payment, in catalog: Catalog) {
    guard payment.state == .imported, let user = payment.owner, let match = payment.match,
      match.flags.contains(.observed)
    else { return nil }
    self.payment = payment.key
    self.user = user
    rule = match.rule
    flags = match.flags.subtracting([.observed])
    content = catalog.product(for: payment.facts.storeProduct).flatMap { $0.grant.content(of: payment.facts) }
  }

  /// The form for the journal and the operator.
  package var json: JSONValue {
    var gives: [(String, JSONValue?)] = []
    switch content {
    case .units(let unit, let amount): gives = [("unit", .string(unit.text)), ("amount", .integer(amount))]
    case .entitlement(let name, _, let until):
      gives = [("entitlement", .string(name.text)), ("expiresAt", until.map { .string($0.iso8601) })]
    case nil: break
    }
    return .members([("userId", .string(user.text)), ("rule", .string(rule.rawValue))] + gives)
  }
}

extension PaymentEngine {
  /// Counts what would have been granted. Compared with the earlier system's own figures, it shows when the app can
  /// go live.
  func countObserved(_ payment: Payment, _ app: AppPolicy) {
    guard app.isObserving, let observed = ObservedGrant(payment, in: app.catalog) else { return }
    let world = [("app", app.id.text), ("environment", payment.key.environment.rawValue)]
    metrics.count(.observedGrantsTotal, world + [("rule", observed.rule.rawValue)])
    guard case .units(let unit, let amount) = observed.content else { return }
    metrics.count(.observedUnitsTotal, world + [("unit", unit.text)], by: Double(amount))
  }
}
