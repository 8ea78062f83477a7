package import PaymentModel
package import PaymentPrimitives
package import StrictJSON

/// What a payment would have given, had Counterfoil not only watched (`mode: observe`).
package struct ObservedGrant: Hashable, Sendable {
  package let payment: PaymentKey
  package let user: UserIdentifier
  package let rule: MatchRule
  package let flags: Set<MatchFlag>
  /// Units or a right; nil where the catalog does not know the product any more.
  package let content: GrantContent?

  /// What a payment would have given by the catalog; nil unless it was seen while Counterfoil watched.
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

  /// As the journal and the operator see it.
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
  /// Counts what would have been granted: beside the earlier system's own figures, the proof that it is time to go
  /// live.
  func countObserved(_ payment: Payment, _ app: AppSettings) {
    guard app.isObserving, let observed = ObservedGrant(payment, in: app.catalog) else { return }
    let world = [("app", app.id.text), ("environment", payment.key.environment.rawValue)]
    metrics.count("counterfoil_observed_grants_total", world + [("rule", observed.rule.rawValue)])
    guard case .units(let unit, let amount) = observed.content else { return }
    metrics.count("counterfoil_observed_units_total", world + [("unit", unit.text)], by: Double(amount))
  }
}
