#if canImport(ObjectiveC)
  public import Counterfoil
  import CounterfoilURLSession
  public import Foundation
  import PaymentPrimitives

  /// The outcome of a purchase, for Objective-C.
  @objc(CFLPurchaseState) public enum ObjectiveCPurchaseState: Int, Sendable {
    /// Granted.
    case fulfilled = 0
    /// The customer cancelled; the order is kept.
    case cancelled = 1
    /// Another person has to approve it.
    case pendingApproval = 2
    /// Not known yet; the work goes on.
    case awaitingConfirmation = 3
    /// Judged and not granted: show the customer how to contact support.
    case notGranted = 4
    /// Refused before or during the payment; the error gives the reason.
    case failed = 5
    /// Nothing was charged: the subscription changes at its next renewal.
    case renewalChanged = 6
  }

  /// Why a recovery begins, for Objective-C.
  @objc(CFLRecoveryReason) public enum ObjectiveCRecoveryReason: Int, Sendable {
    /// The app came to the foreground.
    case foreground = 0
    /// The network is back.
    case networkBack = 1
    /// The customer asked for it.
    case userAsked = 2
    /// A push message announced an update.
    case push = 3
    /// A link from WeChat opened the app.
    case link = 4

    var swift: RecoveryReason {
      switch self {
      case .foreground: .foreground
      case .networkBack: .networkBack
      case .userAsked: .userAsked
      case .push: .push
      case .link: .link
      }
    }
  }

  /// The client library for code in Objective-C. Every call has a completion, which runs on the main actor.
  @objc(CFLPurchasing) public final class ObjectiveCPurchasing: NSObject, Sendable {
    /// Posted for each event; `userInfo` has `event`, and `orderId` or `transactionId` if there is one.
    @objc public static let eventNotification = Notification.Name("CFLPurchasingEventNotification")

    let purchasing: Purchasing
    @MainActor private var isListening = false

    /// The same client for Objective-C.
    public init(_ purchasing: Purchasing) { self.purchasing = purchasing }

    /// A client with the device's store, Keychain and network.
    ///
    /// - Throws: an error with the code `configurationInvalid`.
    @objc public convenience init(configuration: ObjectiveCConfiguration) throws {
      try self.init(configuration, weChat: nil)
    }

    /// A client that also pays through WeChat.
    ///
    /// - Throws: an error with the code `configurationInvalid`.
    @MainActor @objc public convenience init(configuration: ObjectiveCConfiguration, weChat: ObjectiveCWeChat) throws {
      try self.init(configuration, weChat: weChat.app)
    }

    private convenience init(_ configuration: ObjectiveCConfiguration, weChat: (any WeChatApp)?) throws {
      let device = Dependencies.ofThisDevice
      let queue: any StoreQueue =
        configuration.usesStoreKit1 ? StoreKit1Queue(dependencies: device) : StoreKit2Queue(dependencies: device)
      do throws(PurchasingError) {
        self.init(
          try Purchasing(
            configuration.swift, queue: queue, vault: KeychainVault(), exchange: .urlSession(), dependencies: device,
            weChat: weChat))
      } catch {
        throw Self.error(error)
      }
    }

    /// Starts the client, for as long as the process lives. Call it at launch; a second call does nothing.
    @objc public func start() {
      Task { @MainActor [purchasing] in
        await purchasing.start()
        guard !isListening else { return }
        isListening = true
        for await event in await purchasing.events() { Self.post(event) }
        isListening = false
      }
    }

    /// Sets the signed-in user; nil when no one is signed in.
    @objc public func setUser(_ user: String?, completion: (@MainActor @Sendable () -> Void)?) {
      Task { [purchasing] in
        await purchasing.setUser(user.map { UserIdentifier($0) })
        await completion?()
      }
    }

    /// Buys a product. The order's id is the customer's support number; it is nil if no order was made.
    @objc public func purchase(
      _ product: String, quantity: Int,
      completion: @escaping @MainActor @Sendable (ObjectiveCPurchaseState, _ orderId: String?, (any Error)?) -> Void
    ) {
      let details = ObjectiveCPurchaseDetails()
      details.quantity = quantity
      purchase(product, details: details, completion: completion)
    }

    /// Buys a product with an offer, at a named store, or for a purchase that began in the App Store.
    @objc public func purchase(
      _ product: String, details: ObjectiveCPurchaseDetails,
      completion: @escaping @MainActor @Sendable (ObjectiveCPurchaseState, _ orderId: String?, (any Error)?) -> Void
    ) {
      let (quantity, name, more) = (details.quantity, details.store, details.swift)
      Task { [purchasing] in
        do throws(PurchasingError) {
          let store = name.flatMap { Store(rawValue: $0) }
          if let name, store == nil { throw PurchasingError(.configurationInvalid, "There is no store \(name).") }
          let outcome = try await purchasing.purchase(
            ProductIdentifier(product), quantity: quantity, store: store, details: more)
          await completion(Self.state(of: outcome), outcome.order.appAccountToken, nil)
        } catch {
          await completion(.failed, nil, Self.error(error))
        }
      }
    }

    /// Completes open purchases: call it when the app comes to the foreground and when the network is back. The
    /// completion gets the number of granted transactions and of those without a verdict yet.
    @objc public func recover(
      _ reason: ObjectiveCRecoveryReason, completion: (@MainActor @Sendable (_ fulfilled: Int, _ waiting: Int) -> Void)?
    ) {
      Task { [purchasing] in
        let report = await purchasing.recover(reason.swift)
        await completion?(report.fulfilled, report.waiting)
      }
    }

    /// Restores earlier purchases. Call it only when the customer taps for it: the store may ask for their password.
    @objc public func restorePurchases(
      completion: @escaping @MainActor @Sendable (_ fulfilled: Int, (any Error)?) -> Void
    ) {
      Task { [purchasing] in
        do throws(PurchasingError) {
          await completion(try await purchasing.restorePurchases().fulfilled, nil)
        } catch {
          await completion(0, Self.error(error))
        }
      }
    }

    /// The entitlements of the signed-in user, as the server says now; nil if it could not be asked, which does not
    /// mean that the user has none.
    @objc public func entitlements(
      completion: @escaping @MainActor @Sendable ([ObjectiveCEntitlement]?, (any Error)?) -> Void
    ) {
      Task { [purchasing] in
        do throws(PurchasingError) {
          await completion(try await purchasing.entitlements().map { ObjectiveCEntitlement($0) }, nil)
        } catch {
          await completion(nil, Self.error(error))
        }
      }
    }

    /// The balances of the signed-in user, as the server says now; nil if it could not be asked, which does not mean
    /// that the user has none.
    @objc public func balances(
      completion: @escaping @MainActor @Sendable ([ObjectiveCBalance]?, (any Error)?) -> Void
    ) {
      Task { [purchasing] in
        do throws(PurchasingError) {
          await completion(try await purchasing.balances().map { ObjectiveCBalance($0) }, nil)
        } catch {
          await completion(nil, Self.error(error))
        }
      }
    }

    private static func state(of outcome: PurchaseOutcome) -> ObjectiveCPurchaseState {
      switch outcome {
      case .fulfilled: .fulfilled
      case .cancelled: .cancelled
      case .pendingApproval: .pendingApproval
      case .renewalChanged: .renewalChanged
      case .awaitingConfirmation: .awaitingConfirmation
      case .notGranted: .notGranted
      }
    }

    /// `userInfo` contains the stable code; the text is for the customer, in their language.
    static func error(_ error: PurchasingError) -> NSError {
      NSError(
        domain: "CFLPurchasing", code: error.storeFailure?.code ?? 0,
        userInfo: [
          NSLocalizedDescriptionKey: error.message(ObjectiveCConfiguration.language), "code": error.code.rawValue,
        ])
    }

    /// A sheet of the store that did not open, or failed.
    static func error(_ failure: StoreFailure) -> NSError {
      error(PurchasingError(.storeFailed, failure.explanation, storeFailure: failure))
    }

    @MainActor private static func post(_ event: PurchaseEvent) {
      var facts: [String: String] = [:]
      switch event {
      case .orderGranted(let order): facts = ["event": "orderGranted", "orderId": order.appAccountToken]
      case .openedWeChat(let order): facts = ["event": "openedWeChat", "orderId": order.appAccountToken]
      case .delivered(let order): facts = ["event": "delivered", "orderId": order.appAccountToken]
      case .notConfirmed(let order): facts = ["event": "notConfirmed", "orderId": order.appAccountToken]
      case .slowCallback(let order): facts = ["event": "slowCallback", "orderId": order.appAccountToken]
      case .promotedPayment(let payment): facts = ["event": "promotedPayment", "storeProductId": payment.product.text]
      case .orderOpen(let open): facts = ["event": "orderOpen", "orderId": open.order.id.appAccountToken]
      case .orderClosed(let order): facts = ["event": "orderClosed", "orderId": order.appAccountToken]
      case .fulfilled(let transaction, let order, _):
        facts = ["event": "fulfilled", "transactionId": transaction.text]
        facts["orderId"] = order?.appAccountToken
      case .notGranted(let transaction, _, let reason):
        facts = ["event": "notGranted", "transactionId": transaction.text]
        facts["reason"] = reason
      case .orphan(let transaction): facts = ["event": "orphan", "transactionId": transaction.text]
      case .finishDidNotStick(let transaction, _):
        facts = ["event": "finishDidNotStick", "transactionId": transaction.text]
      case .earlierRecordJudged(let reference, let verdict, let reason):
        facts = ["event": "earlierRecordJudged", "reference": reference, "verdict": "\(verdict)"]
        facts["reason"] = reason
      }
      var information: [String: Any] = facts
      if case .promotedPayment(let payment) = event {
        information["promotedPayment"] = ObjectiveCPromotedPayment(payment)
      }
      NotificationCenter.default.post(name: eventNotification, object: nil, userInfo: information)
    }
  }
#endif
