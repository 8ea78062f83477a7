public import Counterfoil
public import PaymentPrimitives

#if canImport(Combine)
  public import Combine
#endif

/// The state and the actions of a shop's page, for every system and for UIKit: it is an `ObservableObject` where
/// Combine exists, and calls `onChange`. `ShopModel` is the same for SwiftUI's observation from iOS 17.
///
/// It has no data of its own: everything comes from the client's answers and events, and it grants nothing. All windows
/// of an app share one.
@MainActor public final class ShopPageModel {
  /// Entitlements that are younger need no request when the app comes to the foreground.
  private static let entitlementsAge = TimeSpan.minutes(10)
  /// Orders that a page looks through for its history.
  private static let purchasesMax = 50

  /// Everything that the page shows.
  public internal(set) var state = ShopState() {
    willSet {
      #if canImport(Combine)
        objectWillChange.send()
      #endif
    }
    didSet { if state != oldValue { onChange?(state) } }
  }
  /// Called after each change of `state`.
  public var onChange: (@MainActor (ShopState) -> Void)?

  let service: any PaymentService
  let messages: CustomerMessages
  let language: Language
  private var lastNotice = 0
  private var readings = 0
  private var isFollowed = false
  private var wasInBackground = false
  /// Windows that follow the events when the one that does so now is closed.
  private var otherWindows: [AsyncStream<Void>.Continuation] = []
  private var windows: [ShopWindow] = []

  /// A page on top of a payment service, usually a `Purchasing`.
  ///
  /// - Parameters:
  ///   - service: the service that sells.
  ///   - messages: the texts, if the app has its own.
  ///   - language: the customer's language.
  public init(
    _ service: any PaymentService, messages: CustomerMessages = CustomerMessages(), language: Language = .english
  ) {
    self.service = service
    self.messages = messages
    self.language = language
  }

  // MARK: events and windows

  /// Follows the events until its task is cancelled. It may be called again, and by each window: one call follows, the
  /// others wait for its end.
  public func run() async {
    while isFollowed, !Task.isCancelled {
      let (turn, continuation) = AsyncStream.makeStream(of: Void.self)
      otherWindows.append(continuation)
      for await _ in turn { break }
    }
    guard !Task.isCancelled else { return isFollowed ? () : letNextFollow() }
    isFollowed = true
    await refresh()
    for await event in await service.events() { await take(event) }
    isFollowed = false
    letNextFollow()
  }

  private func letNextFollow() {
    while !otherWindows.isEmpty {
      if case .enqueued = otherWindows.removeFirst().yield(()) { return }
    }
  }

  /// A window shows the shop, or the customer touched it: texts appear in the last such window only.
  package func show(in window: ShopWindow) { windows = windows.filter { $0 !== window } + [window] }

  /// A window is closed.
  package func close(_ window: ShopWindow) { windows.removeAll { $0 === window } }

  /// Whether texts appear in this window.
  package func showsTexts(in window: ShopWindow) -> Bool { windows.last === window }

  /// The app, or one of its windows, went to the background.
  public func wentToBackground() { wasInBackground = true }

  /// A window is active. If the app comes from the background, open purchases are completed; a payment sheet, Face ID
  /// or Control Center cause nothing.
  public func becameActive() async {
    guard wasInBackground else { return }
    wasInBackground = false
    await recover(.foreground)
  }

  // MARK: buying

  /// Buys a product of the catalog at its store, and shows the outcome as a notice.
  ///
  /// - Returns: the outcome; nil if the purchase failed. The notice gives the reason.
  @discardableResult
  public func buy(_ item: CatalogItem, details: PurchaseDetails = PurchaseDetails()) async -> PurchaseOutcome? {
    await buy(item.id, store: item.store, details: details)
  }

  /// Buys, and shows the outcome as a notice; nothing is shown after a cancellation. A second tap on the same product
  /// while the first is running does nothing.
  ///
  /// - Returns: the outcome; nil if the purchase failed. The notice gives the reason.
  @discardableResult
  public func buy(
    _ product: ProductIdentifier, quantity: Int = 1, store: Store? = nil,
    details: PurchaseDetails = PurchaseDetails()
  ) async -> PurchaseOutcome? {
    let isFirst = !state.away.contains(product)
    guard state.busy.insert(product).inserted else { return nil }
    defer {
      state.busy.remove(product)
      if isFirst { state.away.remove(product) }
    }
    if let payment = details.promoted { state.promoted.removeAll { $0 == payment } }
    do throws(PurchasingError) {
      let outcome = try await service.purchase(product, quantity: quantity, store: store, details: details)
      if !outcome.isCancelled { tell(outcome.messageKey, outcome.order) }
      await refresh()
      return outcome
    } catch {
      // Whoever left the page before the sheet opened needs no text.
      if error.code != .purchaseAbandoned { tell(error.messageKey, nil) }
      await refresh()
      return nil
    }
  }

  /// Buys a subscription with one of its promotional offers, which the server signs for this order.
  ///
  /// - Returns: the outcome; nil if the purchase failed. The notice gives the reason.
  @discardableResult
  public func buy(_ item: CatalogItem, offer: SubscriptionOffer) async -> PurchaseOutcome? {
    var details = PurchaseDetails()
    details.promotionalOffer = offer.id
    return await buy(item, details: details)
  }

  /// Buys what the customer chose in the App Store.
  ///
  /// - Returns: the outcome; nil if the purchase failed or the catalog lacks the product. The notice gives the reason.
  @discardableResult
  public func buy(_ payment: PromotedPayment) async -> PurchaseOutcome? {
    if state.products.items.isEmpty { await readProducts() }
    guard let item = state.products.items.first(where: { $0.appStore?.id == payment.product }) else {
      tell(.error(.productUnknown), nil)
      return nil
    }
    var details = PurchaseDetails()
    details.promoted = payment
    return await buy(item.id, quantity: payment.quantity, store: .appStore, details: details)
  }

  /// Restores earlier purchases, and says what was found. Call it only when the customer taps for it: the store may
  /// ask for their password.
  ///
  /// - Returns: what was found; nil if it failed. The notice gives the reason.
  @discardableResult
  public func restore() async -> RecoveryReport? {
    guard !state.isRestoring else { return nil }
    state.isRestoring = true
    defer { state.isRestoring = false }
    do throws(PurchasingError) {
      let report = try await service.restorePurchases()
      if let key = report.restoreMessageKey, let text = messages.text(ofRestore: report, in: language) {
        tell(key, nil, text: text)
      }
      await refresh()
      return report
    } catch {
      tell(error.messageKey, nil)
      return nil
    }
  }

  /// Removes the notice after the customer has read it.
  public func dismiss() { state.notice = nil }

  // MARK: reading

  /// Checks whether this customer can pay here: call it before the shop is shown.
  public func check() async { state.availability = try? await service.availability() }

  /// Reads the products for sale. A failure leaves products that were read before.
  public func readProducts() async {
    if case .unread = state.products { state.products = .loading }
    do throws(PurchasingError) {
      state.products = .read(try await service.catalog())
    } catch {
      if state.products.items.isEmpty { state.products = .unreadable(error) }
    }
  }

  /// Completes open purchases: when the customer asks for it, and when the app comes to the foreground.
  public func recover(_ reason: RecoveryReason = .foreground) async {
    let report = await service.recover(reason)
    await refresh()
    switch state.rights {
    case .unread: return
    case .read(_, let balances) where reason == .foreground && report.fulfilled == 0 && report.ordersClosed == 0:
      // A renewal, an end or a refund may have come meanwhile; units change only by what this app or its backend does.
      guard let snapshot = try? await service.entitlements(maximumAge: Self.entitlementsAge, unreachableAge: nil) else {
        return
      }
      state.rights = .read(entitlements: snapshot.entitlements, balances: balances)
    case .read, .unreadable: await readRights()
    }
  }

  /// Reads what the user has and has bought: when a page shows it, and when `grants` changes.
  public func readPossessions() async {
    await readRights()
    if let history = try? await service.purchases(limit: Self.purchasesMax, after: nil) {
      state.purchases = history.purchases
    }
  }

  /// Asks the server for the user's entitlements and balances: when a page shows them, when `grants` changes, when
  /// another user signs in. A failure gives no notice; `rights` shows it.
  public func readRights() async {
    readings += 1
    let reading = readings
    let answer: ShopState.Rights
    do throws(PurchasingError) {
      let snapshot = try await service.entitlements(maximumAge: .zero, unreachableAge: nil)
      answer = .read(entitlements: snapshot.entitlements, balances: try await service.balances())
    } catch {
      answer = .unreadable(error)
    }
    // The result of a later reading is newer, whichever ends first.
    if reading == readings { state.rights = answer }
  }

  private func take(_ event: PurchaseEvent) async {
    switch event {
    case .orderOpen, .orderClosed: await refresh()
    case .openedWeChat(let order):
      await refresh()
      guard let product = state.openOrders.first(where: { $0.order.id == order })?.product else { return }
      if state.busy.remove(product) != nil { state.away.insert(product) }
    case .promotedPayment(let payment):
      if !state.promoted.contains(payment) { state.promoted.append(payment) }
      tell(event.messageKey, nil)
    case .fulfilled(_, let order, _):
      state.grants += 1
      tell(event.messageKey, order)
      await refresh()
    case .orderGranted(let order):
      state.grants += 1
      tell(event.messageKey, order)
      await refresh()
    case .slowCallback(let order), .notConfirmed(let order): tell(event.messageKey, order)
    case .notGranted: tell(event.messageKey, nil)
    // For developers and support: the customer cannot act on them.
    case .delivered, .earlierRecordJudged, .orphan, .finishDidNotStick: break
    }
  }

  private func refresh() async { state.openOrders = await service.openOrders() }

  private func tell(_ key: CustomerMessageKey, _ order: OrderIdentifier?, text: String? = nil) {
    lastNotice += 1
    state.notice = ShopState.Notice(
      id: lastNotice, key: key, text: text ?? messages.text(key, in: language), order: order)
  }
}

#if canImport(Combine)
  extension ShopPageModel: ObservableObject {}
#endif

/// One window that shows a shop.
@MainActor package final class ShopWindow {
  package nonisolated init() {}
}

extension PurchaseOutcome {
  fileprivate var isCancelled: Bool {
    guard case .cancelled = self else { return false }
    return true
  }
}
