package import PaymentModel
package import PaymentPrimitives

extension RecordingTransaction {
  package func promotionalEntitlement(_ key: String, in appEnvironment: AppEnvironment) throws
    -> PromotionalEntitlement?
  {
    try read(.promotionalEntitlement(key, appEnvironment)) { try $0.promotionalEntitlement(key, in: appEnvironment) }
  }

  package func promotionalEntitlements(
    of user: UserIdentifier, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [PromotionalEntitlement] {
    try read(.user(user, appEnvironment)) {
      try $0.promotionalEntitlements(of: user, in: appEnvironment, limit: limit)
    }
  }

  package func countOfPromotionalEntitlements(
    givenIn range: Range<Timestamp>, in appEnvironment: AppEnvironment
  ) throws -> [PromotionalCount] {
    try readWithoutKey { try $0.countOfPromotionalEntitlements(givenIn: range, in: appEnvironment) }
  }

  package func insert(_ promotional: PromotionalEntitlement) throws {
    try write(.ledger(.insertPromotional(promotional)))
  }

  package func update(_ promotional: PromotionalEntitlement) throws {
    // It may move to another user.
    let before = try promotionalEntitlement(promotional.key, in: promotional.appEnvironment)
    try write(.ledger(.updatePromotional(promotional, formerUser: before?.user)))
  }
}
