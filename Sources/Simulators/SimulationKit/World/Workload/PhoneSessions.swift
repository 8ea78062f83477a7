import PaymentModel
import PaymentPrimitives

/// What users do with the app on their phones.
struct PhoneSessions: Sendable {
  let context: SimulationContext

  /// The sessions of one phone while faults are active.
  func day(of phone: WorldPhone) async throws {
    var chance = SeededChance(seed: context.seed, purpose: "day \(phone.number)")
    for session in 0..<phone.plan.sessions {
      try await context.sleep(.seconds(Int64(chance.number(below: 200))))
      if session == 1, phone.plan.losesVault { phone.loseVault() }
      try phone.launch()
      if chance.happens(perMille: context.faults.appKilled), let process = phone.run?.process {
        process.kill(atStep: 5 + chance.number(below: 400))
      }
      var later = SeededChance(seed: context.seed, purpose: "afterwards on phone \(phone.number) in session \(session)")
      try await use(phone, &chance, later: &later)
      // The system ends the apps of an unused phone without notice.
      phone.run?.process.kill()
    }
  }

  /// - Parameter later: the random stream for subscriptions and restores alone.
  private func use(
    _ phone: WorldPhone, _ chance: inout SeededChance, later: inout SeededChance
  ) async throws {
    let plan = context.plan.aftermath
    for _ in 0..<(1 + chance.number(below: 3)) {
      guard phone.run != nil else { return }
      if let user = chance.pick(phone.plan.users) { await phone.signIn(user) }
      var product = chance.pick(WorldShop.products)?.id ?? "coins.100"
      var quantity = WorldShop.mayBuySeveral(product) && chance.happens(perMille: 300) ? 2 + chance.number(below: 3) : 1
      if !phone.plan.isAndroid, later.happens(perMille: plan.subscribes) {
        product = later.pick(WorldShop.subscriptions)?.id ?? "plus"
        quantity = 1
      } else if later.happens(perMille: context.plan.habits.buysRights) {
        (product, quantity) = ("premium", 1)
      } else if later.happens(perMille: context.plan.catalog.wantsNewest) {
        (product, quantity) = (WorldShop.newest.id, 1)
      }
      let patience = TimeSpan.seconds(chance.happens(perMille: 300) ? 6 : 240)
      await phone.buy(product, quantity, patience: patience)
      if chance.happens(perMille: 100) { await phone.signOut() }
      if chance.happens(perMille: 200) { _ = await phone.recover(atMost: .minutes(1)) }
      if !phone.plan.isAndroid, later.happens(perMille: plan.restores) { await phone.restore(atMost: .minutes(2)) }
      try await context.sleep(.seconds(Int64(chance.number(below: 60))))
    }
  }

  /// A session without purchases: each user of the phone signs in, and the app does its pending work.
  ///
  /// - Parameter restores: whether each user also taps "restore purchases".
  func visit(_ phone: WorldPhone, restores: Bool = false) async throws {
    try phone.launch()
    for user in phone.plan.users {
      await phone.signIn(user)
      _ = await phone.recover(atMost: .minutes(3))
      if restores, !phone.plan.isAndroid { await phone.restore(atMost: .minutes(3)) }
      try await context.sleep(.minutes(3))
      _ = await phone.recover(atMost: .minutes(3))
    }
    try await context.sleep(.minutes(1))
    phone.run?.process.kill()
  }
}
