import PaymentModel
import PaymentPrimitives

extension InMemoryTransaction {
  func promotionalEntitlement(_ key: String, in appEnvironment: AppEnvironment) throws -> PromotionalEntitlement? {
    try proceed()
    return rows.promotionalEntitlements[place(key, appEnvironment)]
  }

  func promotionalEntitlements(
    of user: UserIdentifier, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [PromotionalEntitlement] {
    try proceed()
    let keys = rows.promotionalEntitlementsByUser[place(user.text, appEnvironment)] ?? []
    return keys.compactMap { rows.promotionalEntitlements[$0] }
      .sorted { ($0.until, ExactText($0.key)) > ($1.until, ExactText($1.key)) }.limited(to: limit)
  }

  func countOfPromotionalEntitlements(
    givenIn range: Range<Timestamp>, in appEnvironment: AppEnvironment
  ) throws -> [PromotionalCount] {
    try proceed()
    let given = rows.promotionalEntitlements.values.filter {
      $0.appEnvironment == appEnvironment && range.contains($0.givenAt)
    }
    return Dictionary(grouping: given, by: \.entitlement).sorted { $0.key < $1.key }.map { name, rows in
      PromotionalCount(name, given: rows.count, revoked: rows.count { $0.end != nil })
    }
  }

  func insert(_ promotional: PromotionalEntitlement) throws {
    try proceed()
    try require(promotional.until > promotional.givenAt, "A promotional entitlement ends before it begins.")
    let key = place(promotional.key, promotional.appEnvironment)
    guard rows.promotionalEntitlements[key] == nil else { throw conflict(on: "promotional entitlement") }
    set(\.promotionalEntitlements, key, value: promotional)
    add(key, to: promotional)
  }

  func update(_ promotional: PromotionalEntitlement) throws {
    try proceed()
    let key = place(promotional.key, promotional.appEnvironment)
    guard let before = rows.promotionalEntitlements[key], before.mayBecome(promotional) else {
      throw fail(.inconsistent, "A promotional entitlement is missing or differs in more than its user and its end.")
    }
    set(\.promotionalEntitlements, key, value: promotional)
    move(key, from: before, to: promotional)
  }

  /// Gives what a user was given to the alias of an erasure.
  func erasePromotional(of user: UserIdentifier, in appEnvironment: AppEnvironment, alias: UserIdentifier) {
    for key in rows.promotionalEntitlementsByUser[place(user.text, appEnvironment)] ?? [] {
      guard let before = rows.promotionalEntitlements[key] else { continue }
      let after = before.erased(for: alias)
      set(\.promotionalEntitlements, key, value: after)
      move(key, from: before, to: after)
    }
  }

  private func move(
    _ key: InMemoryRows.ScopedText, from before: PromotionalEntitlement, to promotional: PromotionalEntitlement
  ) {
    guard before.user != promotional.user else { return }
    let former = place(before.user.text, before.appEnvironment)
    set(
      \.promotionalEntitlementsByUser, former,
      value: (rows.promotionalEntitlementsByUser[former] ?? []).filter { $0 != key })
    add(key, to: promotional)
  }

  private func add(_ key: InMemoryRows.ScopedText, to promotional: PromotionalEntitlement) {
    let owner = place(promotional.user.text, promotional.appEnvironment)
    set(
      \.promotionalEntitlementsByUser, owner, value: (rows.promotionalEntitlementsByUser[owner] ?? []) + [key])
  }

  private func place(_ text: String, _ appEnvironment: AppEnvironment) -> InMemoryRows.ScopedText {
    InMemoryRows.ScopedText(appEnvironment: appEnvironment, scope: "", text: ExactText(text))
  }
}

extension PromotionalEntitlement {
  /// Whether only what may change differs.
  fileprivate func mayBecome(_ other: PromotionalEntitlement) -> Bool {
    var changed = self
    changed.user = other.user
    if end == nil { changed.end = other.end }
    return changed == other
  }
}
