import AppStoreProtocol
import AppStoreSimulator
import PaymentModel
import PaymentPrimitives

/// Events of a subscription, mostly while the app is not running.
extension ScenarioPlay {
  static let plus: StoreProductIdentifier = "com.example.plus"
  static let basic: StoreProductIdentifier = "com.example.basic"

  /// Ann subscribes in the app, and closes it.
  func subscribe(_ product: ProductIdentifier = "plus") async throws {
    try await open("ann")
    say("Ann subscribes in the app, and closes it.", "Ann 在应用内订阅，然后关闭应用。")
    await buy(product)
    close()
    try await holds("Her entitlement is active", "她的权益生效") { try await $0.rights(of: "ann") == ["plus"] }
  }

  /// Lets a month and a day pass.
  func passMonth() async throws { try await pass(.days(32)) }

  func subscription() async throws -> TransactionIdentifier {
    let all = try await atApple { await $0.transactions() }
    let types: Set<StoreProductIdentifier> = [Self.plus, Self.basic]
    guard let first = all.first(where: { types.contains($0.product) && !$0.isFamilyShared }) else {
      throw ScenarioBroken()
    }
    return first.originalId
  }

  /// Ann buys in the App Store itself, where no app sets a token.
  func buyInStore(_ product: StoreProductIdentifier, offer: String? = nil) async throws {
    var request = SimulatedPurchaseRequest(
      owner: AppOwner(account: "ann", bundleId: WorldShop.bundleId), product: product)
    request.offerIdentifier = offer
    let asked = request
    try await atApple { _ = try await $0.purchases.purchase(asked) }
  }

  /// Sets whether Ann's card can be charged.
  func card(works: Bool) async throws {
    var account = SimulatedAppleAccount(id: "ann", environment: .production)
    account.canPay = works
    let changed = account
    try await atApple { try await $0.catalog.setAccount(changed) }
  }

  /// Turns automatic renewal on or off in Ann's account settings.
  func autoRenew(_ isOn: Bool) async throws {
    let subscription = try await subscription()
    try await atApple { try await $0.subscriptions.setAutoRenew(subscription, to: isOn) }
  }

  /// Enables the grace period: access continues while a failed charge is retried.
  func grantGrace(days: Int) async throws {
    try await atApple { store in
      guard var app = await store.apps().first else { return }
      app.gracePeriodDays = days
      try await store.catalog.setApp(app)
    }
  }

  func set(
    _ product: StoreProductIdentifier, _ change: @escaping @Sendable (inout SimulatedProduct) -> Void
  ) async throws {
    try await atApple { store in
      guard var known = await store.products(of: WorldShop.bundleId).first(where: { $0.id == product }) else { return }
      change(&known)
      try await store.catalog.setProduct(known, bundleId: WorldShop.bundleId)
    }
  }

  /// Checks that Apple has sent this notification, and that the server has stored it.
  func isWritten(_ row: NotificationRow) async throws {
    let all = try await atApple { await $0.notifications() }
    let told = all.filter { $0.facts.type == row.type && $0.facts.subtype == row.subtype }
    try await holds("Apple sent \(row), and the server has stored it", "Apple 通知了 \(row)，服务器已记录") { ledger in
      for notification in told {
        guard try await ledger.keeps(notification.facts.uuid.text) else { return false }
      }
      return !told.isEmpty
    }
  }

  /// Checks whether Ann has her entitlement.
  func annHasRight(_ hasIt: Bool) async throws {
    try await holds(
      hasIt ? "Ann has her entitlement" : "Ann has no entitlement", hasIt ? "Ann 拥有权益" : "Ann 没有权益"
    ) { try await $0.rights(of: "ann").contains("plus") == hasIt }
  }
}
