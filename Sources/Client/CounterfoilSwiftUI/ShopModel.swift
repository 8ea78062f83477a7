public import Counterfoil
public import Observation
public import PaymentPrimitives

/// The state of purchases that a shop's page shows: running payments, open orders, texts for the customer. It has no
/// data of its own: everything comes from the client's events, and it grants nothing.
///
///     @State private var shop = ShopModel(purchasing)
///     …
///     .task { await shop.run() }
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
@MainActor @Observable public final class ShopModel {
  /// A text to show to the customer once, in their language.
  public struct Notice: Hashable, Sendable, Identifiable {
    /// Counts the notices of this model.
    public let id: Int
    /// The subject; an app may look for particular ones.
    public let key: CustomerMessageKey
    /// The text.
    public let text: String
    /// The order, as the customer may name it to support.
    public let order: OrderIdentifier?
  }

  /// The entitlements and balances of the signed-in user, as far as this page knows.
  public enum Rights: Hashable, Sendable {
    /// Not read yet.
    case unread
    /// The server's last answer.
    case read(entitlements: [Entitlement], balances: [Balance])
    /// The server could not be asked: the entitlements are not known now. It does not mean that the user has none.
    case unreadable(PurchasingError)
  }

  /// The orders of the signed-in user that are not complete yet, oldest first.
  public private(set) var openOrders: [OpenOrder] = []
  /// Products for which a purchase of this page runs.
  public private(set) var busy: Set<ProductIdentifier> = []
  /// Purchases that the customer began in the App Store and this app has not bought yet.
  public private(set) var promoted: [PromotedPayment] = []
  /// The text for the customer; nil after they dismissed it. A newer text replaces an older one.
  public private(set) var notice: Notice?
  /// Counts the grants: a view that shows a balance reads it again when this changes.
  public private(set) var grants = 0
  /// The entitlements and balances of the signed-in user; `readRights` reads them again.
  public private(set) var rights = Rights.unread
  /// Whether a restore runs.
  public private(set) var isRestoring = false

  @ObservationIgnored private let service: any PaymentService
  @ObservationIgnored private let messages: CustomerMessages
  @ObservationIgnored private let language: Language
  @ObservationIgnored private var lastNotice = 0
  @ObservationIgnored private var readings = 0

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

  /// Follows the events until its task is cancelled: one call for as long as the page exists.
  public func run() async {
    await refresh()
    for await event in await service.events() { await take(event) }
  }

  /// Buys, and shows the outcome as a notice. A second tap on the same product while the first is running does
  /// nothing.
  ///
  /// - Returns: the outcome; nil if the purchase failed. The notice gives the reason.
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

  /// Completes open purchases: call it when the page comes to the foreground, and when the customer asks for it.
  public func recover(_ reason: RecoveryReason = .foreground) async {
    await service.recover(reason)
    await refresh()
    if rights != .unread { await readRights() }
  }

  /// Asks the server for the user's entitlements and balances: when a page shows them, when `grants` changes, when
  /// another user signs in. A failure gives no notice; `rights` shows it.
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
    // The result of a later reading is newer, whichever ends first.
    if reading == readings { rights = answer }
  }

  /// Restores earlier purchases. Call it only when the customer taps for it: the store may ask for their password.
  ///
  /// - Returns: what was found; nil if it failed. The notice gives the reason.
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

  /// Removes the notice after the customer has read it.
  public func dismiss() { notice = nil }

  /// Whether a purchase of the product runs, on this page or from before the customer opened it. An unpaid abandoned
  /// order is open but does not run: it may be tapped again.
  public func isBusy(_ product: ProductIdentifier) -> Bool { busy.contains(product) }

  /// The text for the state of an order.
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
    // For developers and support: the customer cannot act on them.
    case .delivered, .earlierRecordJudged, .orphan, .finishDidNotStick: break
    }
  }

  private func refresh() async { openOrders = await service.openOrders() }

  private func tell(_ key: CustomerMessageKey, _ order: OrderIdentifier?) {
    lastNotice += 1
    notice = Notice(id: lastNotice, key: key, text: messages[key][language], order: order)
  }
}
