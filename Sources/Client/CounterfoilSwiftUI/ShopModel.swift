public import Counterfoil
public import Observation
public import PaymentPrimitives

/// What a shop's page shows of its purchases: whether a product is being paid, which orders are open, what to tell the
/// customer. It holds no truth of its own: the client's events bring it, and nothing is granted here.
///
///     @State private var shop = ShopModel(purchasing)
///     …
///     .task { await shop.run() }
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
@MainActor @Observable public final class ShopModel {
  /// Something to tell the customer once, in his language.
  public struct Notice: Hashable, Sendable, Identifiable {
    /// Counts the notices of this model.
    public let id: Int
    /// What it is about; an app may look for particular ones.
    public let key: CustomerMessageKey
    /// The words.
    public let text: String
    /// The order, as the customer may name it to support.
    public let order: OrderIdentifier?
  }

  /// What the signed-in user has, as far as this page knows.
  public enum Rights: Hashable, Sendable {
    /// Nobody has asked yet.
    case unread
    /// What the server said last.
    case read(entitlements: [Entitlement], balances: [Balance])
    /// The server could not be asked: what he has is not known now. It does not mean that he has nothing.
    case unreadable(PurchasingError)
  }

  /// The orders of the signed-in user that are not completed yet, oldest first.
  public private(set) var openOrders: [OpenOrder] = []
  /// Products for which a purchase of this page runs.
  public private(set) var busy: Set<ProductIdentifier> = []
  /// Purchases that the customer began in the App Store and this app has not bought yet.
  public private(set) var promoted: [PromotedPayment] = []
  /// What to tell the customer; nil when he was told. Newer words take the place of older ones.
  public private(set) var notice: Notice?
  /// Counts what was granted: whoever shows a balance reads it anew when this changes.
  public private(set) var grants = 0
  /// What the signed-in user has; `readRights` reads it anew.
  public private(set) var rights = Rights.unread
  /// Whether a restore runs.
  public private(set) var isRestoring = false

  @ObservationIgnored private let service: any PaymentService
  @ObservationIgnored private let messages: CustomerMessages
  @ObservationIgnored private let language: Language
  @ObservationIgnored private var lastNotice = 0
  @ObservationIgnored private var readings = 0

  /// A page over a payment service, usually a `Purchasing`.
  ///
  /// - Parameters:
  ///   - service: what sells.
  ///   - messages: the words, where the app has its own.
  ///   - language: the customer's.
  public init(
    _ service: any PaymentService, messages: CustomerMessages = CustomerMessages(), language: Language = .english
  ) {
    self.service = service
    self.messages = messages
    self.language = language
  }

  /// Follows what happens until its task is cancelled: one call for as long as the page is there.
  public func run() async {
    await refresh()
    for await event in await service.events() { await take(event) }
  }

  /// Buys, and says how it ended. A second tap on the same product while the first is under way does nothing.
  ///
  /// - Returns: the outcome; nil when the purchase was refused. The notice tells why.
  @discardableResult
  public func buy(
    _ product: ProductIdentifier, quantity: Int = 1, store: Store? = nil,
    details: PurchaseDetails = PurchaseDetails()
  ) async -> PurchaseOutcome? {
    guard busy.insert(product).inserted else { return nil }
    defer { busy.remove(product) }
    if let payment = details.promoted { promoted.removeAll { $0 == payment } }
    do throws(PurchasingError) {
      let outcome = try await service.purchase(product, quantity: quantity, store: store, details: details)
      tell(outcome.messageKey, outcome.order)
      await refresh()
      return outcome
    } catch {
      tell(error.messageKey, nil)
      await refresh()
      return nil
    }
  }

  /// Completes what is open: when the page comes to the foreground, and when the customer asks for it.
  public func recover(_ reason: RecoveryReason = .foreground) async {
    await service.recover(reason)
    await refresh()
    if rights != .unread { await readRights() }
  }

  /// Asks the server what the signed-in user has: when a page shows it, when `grants` changes, when another user signs
  /// in. Where it fails no notice is given; `rights` says so.
  ///
  ///     .task(id: shop.grants) { await shop.readRights() }
  public func readRights() async {
    readings += 1
    let reading = readings
    let answer: Rights
    do throws(PurchasingError) {
      answer = .read(entitlements: try await service.entitlements(), balances: try await service.balances())
    } catch {
      answer = .unreadable(error)
    }
    // A later reading knows better, whichever ends first.
    if reading == readings { rights = answer }
  }

  /// Restores earlier purchases, on the customer's own tap: the store may ask for his password.
  ///
  /// - Returns: what was found; nil when it failed. The notice tells why.
  @discardableResult
  public func restore() async -> RecoveryReport? {
    guard !isRestoring else { return nil }
    isRestoring = true
    defer { isRestoring = false }
    do throws(PurchasingError) {
      let report = try await service.restorePurchases()
      await refresh()
      return report
    } catch {
      tell(error.messageKey, nil)
      return nil
    }
  }

  /// The customer has read the notice.
  public func dismiss() { notice = nil }

  /// Whether a purchase of the product runs, on this page or before the customer came to it. An order that was left
  /// unpaid is open and does not run: it may be tapped again.
  public func isBusy(_ product: ProductIdentifier) -> Bool { busy.contains(product) }

  /// The words for where an order stands.
  public func words(for order: OpenOrder) -> String {
    switch order.phase {
    case .deferred: messages[.outcome(.pendingApproval)][language]
    case .paid: messages[.outcome(.awaitingConfirmation)][language]
    case .setAside: messages[.outcome(.held)][language]
    case .created, .paying, .failedOnce, .owned: messages[.event(.orderOpen)][language]
    }
  }

  // MARK: events

  private func take(_ event: PurchaseEvent) async {
    switch event {
    case .orderOpen, .orderClosed: await refresh()
    case .promotedPayment(let payment):
      if !promoted.contains(payment) { promoted.append(payment) }
      tell(event.messageKey, nil)
    case .fulfilled(_, let order, _):
      grants += 1
      tell(event.messageKey, order)
      await refresh()
    case .orderGranted(let order):
      grants += 1
      tell(event.messageKey, order)
      await refresh()
    case .slowCallback(let order), .notConfirmed(let order): tell(event.messageKey, order)
    case .notGranted: tell(event.messageKey, nil)
    // For developers and support: the customer can do nothing with them.
    case .delivered, .earlierRecordJudged, .orphan, .finishDidNotStick: break
    }
  }

  private func refresh() async { openOrders = await service.openOrders() }

  private func tell(_ key: CustomerMessageKey, _ order: OrderIdentifier?) {
    lastNotice += 1
    notice = Notice(id: lastNotice, key: key, text: messages[key][language], order: order)
  }
}
