import PaymentModel
import PaymentDatabase
import PaymentPrimitives

extension MatchInputLoader {
  /// Whom a token names that names no order, in an app whose tokens name users; nil elsewhere, and for the token of a
  /// family member.
  ///
  /// A user is known by an order, a balance or a right in the payment's world or the app's own, and by presenting the
  /// payment himself.
  /// - Parameter product: for which his unpaid orders are looked up; nil for none.
  func tokenUser(of facts: VerifiedPayment, forProduct product: Product?) throws -> TokenUser? {
    guard context.app.tokenMeaning == .user, let token = facts.token, facts.ownership == .purchased else { return nil }
    var users = Set(try TokenUser.spellings(of: token).filter { try isKnown($0) })
    if let presenter = news.claim?.user { users.insert(presenter) }
    return try TokenUser(named: token, among: users) { try unpaidOrders(of: $0, forProduct: product) }
  }

  private func isKnown(_ user: UserIdentifier) throws -> Bool {
    for world in Set([realm, context.app.homeRealm]).sorted(by: { $0.environment < $1.environment }) {
      var query = OrderQuery(realm: world, limit: 1)
      query.user = user
      if try !transaction.orders(query).isEmpty { return true }
      if try !transaction.balances(of: user, in: world).isEmpty { return true }
      if try !transaction.rightSources(of: user, in: world).isEmpty { return true }
    }
    return false
  }
}
