public import Counterfoil
public import Observation
public import PaymentPrimitives

/// The state of purchases that a shop's page shows: products, running payments, open orders, texts for the customer.
/// It has no data of its own: everything comes from the client's answers and events, and it grants nothing. All
/// windows of an app share one.
///
///     @State private var shop = ShopModel(purchasing)
///     …
///     List { … }.shop(shop)
///
/// For systems before iOS 17 and for UIKit, see `ShopPageModel`.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
@MainActor @Observable public final class ShopModel {
  /// A text to show to the customer once, in their language.
  public typealias Notice = ShopState.Notice
  /// The entitlements and balances of the signed-in user, as far as this page knows.
  public typealias Rights = ShopState.Rights
  /// The products for sale, as far as this page knows.
  public typealias Products = ShopState.Products

  /// The orders of the signed-in user that are not complete yet, oldest first.
  public private(set) var openOrders: [OpenOrder] = []
  /// Products for which a purchase of this page runs and the customer waits here.
  public private(set) var busy: Set<ProductIdentifier> = []
  /// Products for which the customer is in another app, which was opened to pay: their progress indicator is gone.
  public private(set) var away: Set<ProductIdentifier> = []
  /// Purchases that the customer began in the App Store and this app has not bought yet.
  public private(set) var promoted: [PromotedPayment] = []
  /// The text for the customer; nil after they dismissed it. A newer text replaces an older one.
  public private(set) var notice: Notice?
  /// Counts the grants: a view that shows a balance reads it again when this changes.
  public private(set) var grants = 0
  /// The entitlements and balances of the signed-in user; `readRights` reads them again.
  public private(set) var rights = Rights.unread
  /// The products for sale; `readProducts` reads them.
  public private(set) var products = Products.unread
  /// What the user has bought, newest first; `readPossessions` reads it.
  public private(set) var purchases: [PastPurchase] = []
  /// Whether this customer can pay here; `check` finds out.
  public private(set) var availability: PurchaseAvailability?
  /// Whether a restore runs.
  public private(set) var isRestoring = false

  @ObservationIgnored package let page: ShopPageModel

  /// A page on top of a payment service, usually a `Purchasing`.
  ///
  /// - Parameters:
  ///   - service: the service that sells.
  ///   - messages: the texts, if the app has its own.
  ///   - language: the customer's language.
  public init(
    _ service: any PaymentService, messages: CustomerMessages = CustomerMessages(), language: Language = .english
  ) {
    page = ShopPageModel(service, messages: messages, language: language)
    page.onChange = { [weak self] state in self?.take(state) }
  }

  /// Only what differs is set, so that a view is drawn again only for what it shows.
  private func take(_ state: ShopState) {
    if openOrders != state.openOrders { openOrders = state.openOrders }
    if busy != state.busy { busy = state.busy }
    if away != state.away { away = state.away }
    if promoted != state.promoted { promoted = state.promoted }
    if notice != state.notice { notice = state.notice }
    if grants != state.grants { grants = state.grants }
    if rights != state.rights { rights = state.rights }
    if products != state.products { products = state.products }
    if purchases != state.purchases { purchases = state.purchases }
    if availability != state.availability { availability = state.availability }
    if isRestoring != state.isRestoring { isRestoring = state.isRestoring }
  }

  /// Follows the events until its task is cancelled. It may be called again, and by each window: one call follows, the
  /// others wait for its end.
  public func run() async { await page.run() }

  /// Buys a product of the catalog at its store, and shows the outcome as a notice.
  ///
  /// - Returns: the outcome; nil if the purchase failed. The notice gives the reason.
  @discardableResult
  public func buy(_ item: CatalogItem, details: PurchaseDetails = PurchaseDetails()) async -> PurchaseOutcome? {
    await page.buy(item, details: details)
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
    await page.buy(product, quantity: quantity, store: store, details: details)
  }

  /// Buys a subscription with one of its promotional offers, which the server signs for this order.
  ///
  /// - Returns: the outcome; nil if the purchase failed. The notice gives the reason.
  @discardableResult
  public func buy(_ item: CatalogItem, offer: SubscriptionOffer) async -> PurchaseOutcome? {
    await page.buy(item, offer: offer)
  }

  /// Buys what the customer chose in the App Store.
  ///
  /// - Returns: the outcome; nil if the purchase failed or the catalog lacks the product. The notice gives the reason.
  @discardableResult
  public func buy(_ payment: PromotedPayment) async -> PurchaseOutcome? { await page.buy(payment) }

  /// Restores earlier purchases, and says what was found. Call it only when the customer taps for it: the store may
  /// ask for their password.
  ///
  /// - Returns: what was found; nil if it failed. The notice gives the reason.
  @discardableResult
  public func restore() async -> RecoveryReport? { await page.restore() }

  /// Completes open purchases: when the customer asks for it, and when the app comes to the foreground.
  public func recover(_ reason: RecoveryReason = .foreground) async { await page.recover(reason) }

  /// The app, or one of its windows, went to the background.
  public func wentToBackground() { page.wentToBackground() }

  /// A window is active. If the app comes from the background, open purchases are completed.
  public func becameActive() async { await page.becameActive() }

  /// Asks the server for the user's entitlements and balances: when a page shows them, when `grants` changes, when
  /// another user signs in. A failure gives no notice; `rights` shows it.
  ///
  ///     .task(id: shop.grants) { await shop.readRights() }
  public func readRights() async { await page.readRights() }

  /// Reads what the user has and has bought: when a page shows it, and when `grants` changes.
  public func readPossessions() async { await page.readPossessions() }

  /// Reads the products for sale. A failure leaves products that were read before.
  public func readProducts() async { await page.readProducts() }

  /// Checks whether this customer can pay here: call it before the shop is shown.
  public func check() async { await page.check() }

  /// Removes the notice after the customer has read it.
  public func dismiss() { page.dismiss() }

  /// Whether a purchase of the product runs on this page and the customer waits here. An unpaid abandoned order is
  /// open but does not run: it may be tapped again.
  public func isBusy(_ product: ProductIdentifier) -> Bool { busy.contains(product) }

  /// The text for the state of an order.
  public func words(for order: OpenOrder) -> String { page.words(for: order) }

  /// The text for the state of an entitlement.
  public func words(for entitlement: Entitlement) -> String { page.words(for: entitlement) }

  /// The text for what prevents a purchase, the most important first; empty if nothing is known to.
  public var obstacles: [String] { availability == nil ? [] : page.obstacles }
}
