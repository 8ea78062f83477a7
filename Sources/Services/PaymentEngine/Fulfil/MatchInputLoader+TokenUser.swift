import PaymentDatabase
import PaymentModel
import PaymentPrimitives

extension MatchInputLoader {
  /// The user that a token names if it names no order, in an app where tokens name users. It is nil elsewhere, and
  /// for the token of a family member.
  ///
  /// A user is known by an order, a balance or an entitlement in the payment's environment or the app's own. A user
  /// who presents the payment is known too.
  /// - Parameter product: the product for which unpaid orders of the user are looked up; nil for none.
  func tokenUser(of facts: VerifiedPayment, forProduct product: Product?) throws -> TokenUser? {
    guard context.app.tokenMeaning == .user, let token = facts.token, facts.ownership == .purchased else { return nil }
    var users = Set(try TokenUser.spellings(of: token).filter { try isKnown($0) })
    if let presenter = update.claim?.user { users.insert(presenter) }
    let named = try TokenUser(named: token, among: users) { try unpaidOrders(of: $0, forProduct: product) }
    guard let user = named.user, case let present = try transaction.present(user, in: appEnvironment), present != user
    else { return named }
    return .known(present, own: try unpaidOrders(of: present, forProduct: product))
  }

  private func isKnown(_ user: UserIdentifier) throws -> Bool {
    for world in Set([appEnvironment, context.app.homeEnvironment]).sorted(by: { $0.environment < $1.environment }) {
      var query = OrderQuery(appEnvironment: world, limit: 1)
      query.user = user
      if try !transaction.orders(query).isEmpty { return true }
      if try !transaction.balances(of: user, in: world).isEmpty { return true }
      if try transaction.merge(of: user, in: world) != nil { return true }
      if try !transaction.entitlementSources(of: user, in: world).isEmpty { return true }
    }
    return false
  }
}
