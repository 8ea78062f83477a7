public import PaymentPrimitives

/// Whether this customer can pay on this device now. Ask before the shop is shown (1A.18).
public struct PurchaseAvailability: Hashable, Sendable {
  /// A place to pay.
  public enum Place: String, Hashable, CaseIterable, Sendable {
    /// It can be used.
    case available
    /// The device's settings forbid payments (App Store).
    case forbidden
    /// The app is not installed, or too old (WeChat).
    case notInstalled
    /// This app was made without it.
    case absent
    /// It did not answer in time: nothing is known, so let the customer try.
    case silent
  }

  /// Whether a user is signed in to the app.
  public var isSignedIn: Bool
  /// The App Store.
  public var appStore: Place
  /// WeChat Pay.
  public var weChat: Place
  /// Whether orders can be written down on this device; without that nothing is sold.
  public var canRecord: Bool
  /// The store that `purchase` uses by default.
  public var store: Store

  /// What a device answered, also for the tests of an app.
  public init(isSignedIn: Bool, appStore: Place, weChat: Place, canRecord: Bool, store: Store = .appStore) {
    self.isSignedIn = isSignedIn
    self.appStore = appStore
    self.weChat = weChat
    self.canRecord = canRecord
    self.store = store
  }

  /// What prevents a purchase at the default store, the most important first; empty if nothing is known to. Each has
  /// words for the customer.
  public var problems: [PurchasingErrorCode] { problems(at: store) }

  /// What prevents a purchase at a store, the most important first.
  public func problems(at store: Store) -> [PurchasingErrorCode] {
    var problems: [PurchasingErrorCode] = isSignedIn ? [] : [.notSignedIn]
    switch store {
    case .appStore:
      if appStore == .forbidden || appStore == .absent { problems.append(.paymentsDisabled) }
      if appStore == .silent { problems.append(.storeUnavailable) }
    case .weChatPay:
      if weChat == .absent { problems.append(.weChatAbsent) }
      if weChat == .notInstalled { problems.append(.weChatNotInstalled) }
    }
    if !canRecord { problems.append(.vaultUnavailable) }
    return problems
  }

  /// Whether nothing is known to prevent a purchase at the default store.
  public var canPurchase: Bool { problems.allSatisfy { $0 == .storeUnavailable } }
}

extension Purchasing {
  /// Whether this customer can pay on this device now: signed in, payments allowed, WeChat there, orders recordable.
  /// It asks no server and shows nothing. Call it before the shop is shown.
  ///
  /// - Throws: `PurchasingError` with `notRunning`.
  public func availability() async throws(PurchasingError) -> PurchaseAvailability {
    guard await hasStarted() else { throw PurchasingError(.notRunning, "Call `start()` first.") }
    let mayPay = await state.store.canMakePayments()
    var weChat = PurchaseAvailability.Place.absent
    if let app = resources.weChat {
      let isInstalled = await tasks.asking(configuration.policies.storeLimit) { _ in await app.isInstalled() }
      weChat = isInstalled.map { $0 ? .available : .notInstalled } ?? .silent
    }
    return PurchaseAvailability(
      isSignedIn: state.session.user != nil, appStore: mayPay.map { $0 ? .available : .forbidden } ?? .silent,
      weChat: weChat, canRecord: await state.orders.areLoaded(), store: configuration.store)
  }
}
