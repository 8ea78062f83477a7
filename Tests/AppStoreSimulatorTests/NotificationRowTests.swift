import AppStoreProtocol
import AppStoreSimulator
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import Testing

extension SimulatedShop {
  /// Every notification of this store: some from simulated events, all others by command.
  func tellEverything() async throws {
    try await playSubscriptions()
    try await playOffers()
    try await playRefunds()
    let coins = try await latest(Self.coins, Self.alice).id
    for type in [NotificationTypeV2.metadataUpdate, .migration, .priceChange] {
      try await store.notificationCommands.tell(type, about: coins)
    }
    try await store.notificationCommands.tell(.refund, .seats, about: coins)
    try await store.notificationCommands.tell(.unclaimSeats, about: coins, seats: ["seat-1", "seat-2"])
    try await store.notificationCommands.rescindConsent(of: Self.alice)
    for subtype in [Subtype.created, .activeTokenReminder, .unreported] {
      _ = try await store.notificationCommands.tellExternalPurchase(
        subtype, bundleId: Self.app.bundleId, type: .services)
    }
    _ = try await store.notificationCommands.requestTest(bundleId: Self.app.bundleId)
    await sender.sendDue()
  }

  private func setGrace(_ days: Int) async throws {
    var app = Self.app
    app.gracePeriodDays = days
    try await store.catalog.setApp(app)
  }

  /// Renewal, failure with and without grace, recovery, extension, a price increase, and each end.
  private func playSubscriptions() async throws {
    let line = try await buy(Self.month).transaction.originalId
    await pass(.days(31))
    try await set(canPay: false)
    await pass(.days(31))
    try await set(canPay: true)
    await pass(.zero)
    try await setGrace(3)
    try await set(canPay: false)
    await pass(.days(31))
    await pass(.days(90))
    try await set(canPay: true)
    try await buy(Self.month)
    try await store.priceIncreases.raise(of: line, to: 30_000, needsConsent: true)
    try await store.priceIncreases.accept(of: line)
    _ = try await store.renewalExtensions.extend(of: line, byDays: 1)
    for isOn in [false, true, false] { try await store.subscriptions.setAutoRenew(line, to: isOn) }
    await pass(.days(33))
    try await buy(Self.month)
    try await store.priceIncreases.raise(of: line, to: 40_000, needsConsent: true)
    await pass(.days(32))
    try await buy(Self.month)
    try await store.setBehaviour(.renewByHand, to: 1)
    await pass(.days(32))
    _ = try await store.renewalExtensions.extendAll(
      of: Self.month.id, bundleId: Self.app.bundleId, byDays: 1, requestIdentifier: "outage")
    try await store.subscriptions.end(line)
    try await store.setBehaviour(.renewByHand, to: 0)
    try await buy(Self.month)
    var gone = Self.month
    gone.isForSale = false
    try await store.catalog.setProduct(gone, bundleId: Self.app.bundleId)
    await pass(.days(32))
    try await store.catalog.setProduct(Self.month, bundleId: Self.app.bundleId)
  }

  /// Upgrade, downgrade and back, with and without offers.
  private func playOffers() async throws {
    let loyal = SimulatedOffer(.offerCode, "loyal", payment: .payAsYouGo, period: .month, count: 1, price: 9000)
    var basic = SimulatedProduct(
      id: "com.example.basic", kind: .autoRenewable(group: "21752814", period: .month),
      price: StatedPrice(milliunits: 12_000, currency: "CNY"))
    basic.level = 2
    basic.offers = [loyal]
    try await store.catalog.setProduct(basic, bundleId: Self.app.bundleId)
    try await offer([loyal])
    for (product, name) in [
      (basic, nil), (Self.month, nil), (basic, nil), (Self.month, nil), (Self.month, "loyal"), (basic, "loyal"),
    ] {
      try await buy(product, by: Self.bob) { $0.offerIdentifier = name }
    }
    await pass(.days(32))
    try await buy(Self.month, by: Self.bob) { $0.offerIdentifier = "loyal" }
  }

  private func playRefunds() async throws {
    let coins = try await buy(Self.coins).transaction
    try await store.refunds.request(coins.id)
    try await store.refunds.decline(coins.id)
    _ = try await store.refunds.refund(coins.id)
    try await store.refunds.reverse(coins.id)
    let theme = try await buy(Self.theme).transaction
    try await store.familySharing.end(try await store.familySharing.share(theme.id, with: Self.bob.account).id)
  }
}

@Suite struct `A notification of Apple's table` {
  @Test func `is refused if the pair does not exist or does not fit the transaction (AS-NOTE-12)`() async throws {
    let shop = try await SimulatedShop()
    let coins = try await shop.buy(SimulatedShop.coins).transaction.id
    for (type, subtype) in [
      (NotificationTypeV2.didRenew, Subtype.voluntary), (.test, nil), (.rescindConsent, nil),
      (.renewalExtension, .summary), (.unclaimSeats, nil),
    ] {
      await #expect(throws: CodedError(SimulatorErrorCode.fieldInvalid)) {
        try await shop.store.notificationCommands.tell(type, subtype, about: coins)
      }
    }
    await #expect(throws: CodedError(SimulatorErrorCode.fieldInvalid)) {
      try await shop.store.notificationCommands.tell(.refund, about: coins, seats: ["seat"])
    }
    await #expect(throws: CodedError(SimulatorErrorCode.fieldInvalid)) {
      try await shop.store.notificationCommands.tellExternalPurchase(.upgrade, bundleId: SimulatedShop.app.bundleId)
    }
    await #expect(throws: CodedError(SimulatorErrorCode.accountUnknown)) {
      try await shop.store.notificationCommands.rescindConsent(of: SimulatedShop.bob)
    }
    #expect(await shop.store.notifications().count == 1)
  }

  @Test(arguments: SimulatedEnvironment.allCases)
  func `of each row is sent, and our verifier accepts it (AS-NOTE-5, AS-NOTE-12)`(
    environment: SimulatedEnvironment
  ) async throws {
    let shop = try await SimulatedShop(environment)
    try await shop.store.setBehaviour(.calendarPeriodsInSandbox, to: environment == .sandbox ? 1 : 0)
    guard environment == .production else { return try await rescinds(shop) }
    try await shop.tellEverything()
    let told = Set(try await shop.received().map(\.title))
    #expect(Set(NotificationRow.all.map(\.description)).subtracting(told).sorted() == [])
    #expect(told.subtracting(NotificationRow.all.map(\.description)).sorted() == [])
    #expect(NotificationRow.all.count == Set(NotificationRow.all).count && NotificationRow.all.count == 41)
    #expect(try await shop.restarted().store.state.content == shop.store.state.content)
  }

  /// In the sandbox, only the id tells the environment of an external purchase token.
  private func rescinds(_ shop: SimulatedShop) async throws {
    try await shop.buy(SimulatedShop.coins)
    try await shop.store.notificationCommands.rescindConsent(of: SimulatedShop.alice)
    let id = try await shop.store.notificationCommands.tellExternalPurchase(
      .created, bundleId: SimulatedShop.app.bundleId)
    #expect(id.hasPrefix("SANDBOX_"))
    await shop.sender.sendDue()
    let told = try await shop.received()
    #expect(told.map(\.title).suffix(2) == ["RESCIND_CONSENT", "EXTERNAL_PURCHASE_TOKEN CREATED"])
    let data = told.compactMap(\.notification.verified?.payload.appData)
    let consent = try #require(data.first)
    #expect(consent.bundleId == SimulatedShop.app.bundleId && consent.signedAppTransactionInfo != nil)
  }
}
