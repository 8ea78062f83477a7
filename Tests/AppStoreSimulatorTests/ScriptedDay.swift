import AppStoreProtocol
import AppStoreSimulator
import PaymentPrimitives
import SimulatorCore
import TestDoubles

/// A day in a simulated shop, command by command. It contains every command that writes a record. A command that was
/// interrupted can be repeated.
enum ScriptedDay {
  struct Command: Sendable {
    let name: String
    let run: @Sendable (SimulatedShop) async throws -> Void

    init(_ name: String, _ run: @escaping @Sendable (SimulatedShop) async throws -> Void) {
      self.name = name
      self.run = run
    }
  }

  static let commands: [Command] = morning + noon + aftermath + evening

  private static let morning: [Command] = [
    Command("the shop opens") { try await $0.furnish(.production) },
    Command("the server is slow to come up") { await $0.server.answer([], otherwise: .status(503)) },
    Command("Alice buys coins") { try await $0.buy(SimulatedShop.coins) { $0.quantity = 3 } },
    Command("her notification fails") { await $0.sender.sendDue() },
    Command("Alice buys a theme") { try await $0.buy(SimulatedShop.theme) },
    Command("Bob starts the app") { _ = try await $0.store.purchases.appTransaction(of: SimulatedShop.bob) },
    Command("Bob subscribes") { try await $0.buy(SimulatedShop.month, by: SimulatedShop.bob) },
    Command("the next token will be lost") { try await $0.store.setBehaviour(.loseTokens, to: 1) },
    Command("Bob buys a season") { try await $0.buy(SimulatedShop.season, by: SimulatedShop.bob) },
    Command("an hour passes") { $0.time.advance(by: .hours(1)) },
    Command("all notifications fail") { await $0.sender.sendDue() },
  ]

  private static let noon: [Command] = [
    Command("Alice finishes the coins") { try await $0.finish(SimulatedShop.coins, of: SimulatedShop.alice) },
    Command("Alice finishes the theme") { try await $0.finish(SimulatedShop.theme, of: SimulatedShop.alice) },
    Command("Alice buys the theme again") { try await $0.buy(SimulatedShop.theme) },
    Command("further ids for what is owned") { try await $0.store.setBehaviour(.newIdWhenOwned, to: 1) },
    Command("Alice buys the theme once more") { try await $0.buy(SimulatedShop.theme) },
    Command("a purchase is to fail, a finish and a notification to be lost") {
      for behaviour in [SimulatorBehaviour.failPurchases, .loseFinishes, .loseNotifications, .loseAttempts] {
        try await $0.store.setBehaviour(behaviour, to: 1)
      }
    },
    Command("Bob's purchase fails") { shop in
      do { try await shop.buy(SimulatedShop.coins, by: SimulatedShop.bob) } catch let error
        as CodedError<SimulatorErrorCode>
      {
        guard error.code == .purchaseFailed else { throw error }
      }
    },
    Command("Bob's finish does not stick") { try await $0.finish(SimulatedShop.season, of: SimulatedShop.bob) },
    Command("Bob buys coins and nobody is told") { try await $0.buy(SimulatedShop.coins, by: SimulatedShop.bob) },
    Command("the server is up") { await $0.server.answer([]) },
    Command("what is due is sent") { await $0.sender.sendDue() },
  ]

  /// The commands after purchases.
  private static let aftermath: [Command] = [
    Command("Alice shares the theme with Bob") {
      _ = try await $0.store.familySharing.share(
        try await $0.latest(SimulatedShop.theme, SimulatedShop.alice).originalId, with: SimulatedShop.bob.account)
    },
    Command("Bob leaves the family") { shop in
      let shared = await shop.store.transactions(account: SimulatedShop.bob.account).first(where: \.isFamilyShared)
      if let shared { try await shop.store.familySharing.end(shared.id) }
    },
    Command("Bob asks for the season's price") {
      try await $0.store.refunds.request(try await $0.latest(SimulatedShop.season, SimulatedShop.bob).id)
    },
    Command("he does not get it") {
      try await $0.store.refunds.decline(try await $0.latest(SimulatedShop.season, SimulatedShop.bob).id)
    },
    Command("he gets it after all") {
      _ = try await $0.store.refunds.refund(try await $0.latest(SimulatedShop.season, SimulatedShop.bob).id)
    },
    Command("and loses it again") {
      try await $0.store.refunds.reverse(try await $0.latest(SimulatedShop.season, SimulatedShop.bob).id)
    },
    Command("Bob's month is to cost more") {
      try await $0.store.priceIncreases.raise(
        of: try await $0.latest(SimulatedShop.month, SimulatedShop.bob).originalId, to: 30_000, needsConsent: true)
    },
    Command("he agrees") {
      try await $0.store.priceIncreases.accept(
        of: try await $0.latest(SimulatedShop.month, SimulatedShop.bob).originalId)
    },
    Command("the shop was down, and puts his month off") {
      _ = try await $0.store.renewalExtensions.extend(
        of: try await $0.latest(SimulatedShop.month, SimulatedShop.bob).originalId, byDays: 1)
    },
    Command("he wants the year next") { try await $0.buy(SimulatedShop.year, by: SimulatedShop.bob) },
    Command("a guardian says no") { try await $0.store.notificationCommands.rescindConsent(of: SimulatedShop.alice) },
    Command("a token for other purchases") {
      _ = try await $0.store.notificationCommands.tellExternalPurchase(.created, bundleId: SimulatedShop.app.bundleId)
    },
  ]

  private static let evening: [Command] = [
    Command("Alice gets a third back") {
      _ = try await $0.store.refunds.refund(
        try await $0.latest(SimulatedShop.coins, SimulatedShop.alice).id, percentage: 33_333)
    },
    Command("somebody tests notifications") {
      _ = try await $0.store.notificationCommands.requestTest(bundleId: SimulatedShop.app.bundleId)
    },
    Command("the clock is moved to the end of the month") {
      _ = try await $0.store.advanceClock(by: .hours(31 * 24))
    },
    Command("Bob's subscription renews") {
      _ = try await $0.store.subscriptions.renew(try await $0.latest(SimulatedShop.month, SimulatedShop.bob).originalId)
    },
    Command("Bob's card expires") { try await $0.set(SimulatedShop.bob, canPay: false) },
    Command("a year and a day pass") { $0.time.advance(by: .days(367)) },
    Command("his renewal fails") { await $0.calendar.keep() },
    Command("Bob turns renewal off") {
      try await $0.store.subscriptions.setAutoRenew(
        try await $0.latest(SimulatedShop.year, SimulatedShop.bob).originalId, to: false)
    },
    Command("it ends") { await $0.calendar.keep() },
    Command("Bob gets the renewal back") {
      _ = try await $0.store.refunds.refund(try await $0.latest(SimulatedShop.year, SimulatedShop.bob).id)
    },
    Command("time flies") { _ = try await $0.store.setClockRate(3600) },
    Command("a minute passes") { $0.time.advance(by: .minutes(1)) },
    Command("everything is sent") { await $0.sender.sendDue() },
  ]
}

extension SimulatedShop {
  /// The latest transaction of a product.
  func latest(_ product: SimulatedProduct, _ owner: AppOwner) async throws -> SimulatedTransaction {
    let all = await store.transactions(account: owner.account).filter { $0.product == product.id }
    guard let last = all.last else { throw CodedError(SimulatorErrorCode.transactionUnknown, "\(product.id)") }
    return last
  }

  /// Finishes all unfinished transactions of a product, as a device does.
  func finish(_ product: SimulatedProduct, of owner: AppOwner) async throws {
    for signed in try await store.unfinishedTransactions(of: owner) where signed.transaction.product == product.id {
      try await store.purchases.finish(signed.transaction.id, of: owner)
    }
  }
}
