#if canImport(StoreKit)
  public import Counterfoil
  import CounterfoilURLSession
  public import Foundation
  import PaymentPrimitives
  #if canImport(UIKit)
    public import UIKit
  #endif

  /// The outcome of a purchase, for Objective-C.
  #if canImport(ObjectiveC)
    @objc(CFLPurchaseState)
  #endif
  public enum ObjectiveCPurchaseState: Int, Sendable {
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
  #if canImport(ObjectiveC)
    @objc(CFLRecoveryReason)
  #endif
  public enum ObjectiveCRecoveryReason: Int, Sendable {
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
  #if canImport(ObjectiveC)
    @objc(CFLPurchasing) @objcMembers
  #endif
  public final class ObjectiveCPurchasing: NSObject, Sendable {
    /// Posted for each event by this client; `userInfo` has `event`, the words for the customer under `message`, and
    /// `orderId` or `transactionId` if there is one.
    public static let eventNotification = Notification.Name("CFLPurchasingEventNotification")

    let purchasing: Purchasing
    let work: AdapterStart
    @MainActor private var isListening = false

    /// The same client for Objective-C.
    @nonobjc public convenience init(_ purchasing: Purchasing) { self.init(purchasing, start: .asTask) }

    private init(_ purchasing: Purchasing, start: AdapterStart) {
      self.purchasing = purchasing
      work = start
    }

    /// A client with the device's store, Keychain and network.
    ///
    /// - Throws: an error with the code `configurationInvalid`.
    public convenience init(configuration: ObjectiveCConfiguration) throws {
      try self.init(configuration, weChat: nil)
    }

    /// A client that also pays through WeChat.
    ///
    /// - Throws: an error with the code `configurationInvalid`.
    @MainActor public convenience init(configuration: ObjectiveCConfiguration, weChat: ObjectiveCWeChat) throws {
      try self.init(configuration, weChat: weChat)
    }

    private convenience init(_ configuration: ObjectiveCConfiguration, weChat: ObjectiveCWeChat?) throws {
      try self.init(configuration, weChat: weChat, dependencies: .ofThisDevice, start: .asTask) {
        settings, queue, weChat throws(PurchasingError) in
        try Purchasing(
          settings, queue: queue, vault: KeychainVault(), exchange: .urlSession(), dependencies: .ofThisDevice,
          weChat: weChat)
      }
    }

    /// The same with another network and clock.
    package convenience init(
      _ configuration: ObjectiveCConfiguration, weChat: ObjectiveCWeChat?, dependencies: Dependencies,
      start: AdapterStart,
      make: (PurchasingConfiguration, any StoreQueue, (any WeChatApp)?) throws(PurchasingError) -> Purchasing
    ) throws {
      let settings = configuration.swift
      let queue: any StoreQueue =
        configuration.usesStoreKit1
        ? StoreKit1Queue(dependencies: dependencies, start: start)
        : StoreKit2Queue(products: settings.storeProducts, dependencies: dependencies, start: start)
      do throws(PurchasingError) {
        self.init(try make(settings, queue, weChat?.app), start: start)
      } catch {
        throw Self.error(error, settings.messages.text(error.messageKey, in: settings.language))
      }
    }

    /// Starts the client, for as long as the process lives. Call it at launch; a second call does nothing.
    public func start() {
      work.start { @MainActor in
        guard !self.isListening else { return }
        self.isListening = true
        let events = await self.purchasing.events()
        self.work.start { await self.purchasing.run() }
        for await event in events { self.post(event) }
        self.isListening = false
      }
    }

    /// How a purchase ended.
    public typealias PurchaseCompletion =
      @MainActor @Sendable (ObjectiveCPurchaseState, _ orderId: String?, _ message: String, (any Error)?) -> Void

    /// Sets the signed-in user; nil when no one is signed in.
    public func setUser(_ user: String?, completion: (@MainActor @Sendable () -> Void)?) {
      work.start { [purchasing] in
        await purchasing.setUser(user.map { UserIdentifier($0) })
        await completion?()
      }
    }

    /// Buys a product. The order's id is the customer's support number; it is nil if no order was made. The message is
    /// for the customer, in their language.
    public func purchase(
      _ product: String, quantity: Int,
      completion: @escaping PurchaseCompletion
    ) {
      let details = ObjectiveCPurchaseDetails()
      details.quantity = quantity
      purchase(product, details: details, completion: completion)
    }

    /// Buys a product with an offer, at a named store, or for a purchase that began in the App Store.
    public func purchase(
      _ product: String, details: ObjectiveCPurchaseDetails,
      completion: @escaping PurchaseCompletion
    ) {
      let (quantity, name, more) = (details.quantity, details.store, details.swift)
      work.start { [purchasing] in
        do throws(PurchasingError) {
          let store = name.flatMap { Store(rawValue: $0) }
          if let name, store == nil { throw PurchasingError(.configurationInvalid, "There is no store \(name).") }
          let outcome = try await purchasing.purchase(
            ProductIdentifier(product), quantity: quantity, store: store, details: more)
          await completion(
            Self.state(of: outcome), outcome.order.appAccountToken, purchasing.message(for: outcome), nil)
        } catch {
          await completion(.failed, nil, purchasing.message(for: error), self.error(error))
        }
      }
    }

    /// Completes open purchases: call it when the app comes to the foreground and when the network is back. The
    /// completion gets the number of granted transactions and of those without a verdict yet.
    public func recover(
      _ reason: ObjectiveCRecoveryReason, completion: (@MainActor @Sendable (_ fulfilled: Int, _ waiting: Int) -> Void)?
    ) {
      work.start { [purchasing] in
        let report = await purchasing.recover(reason.swift)
        await completion?(report.fulfilled, report.waiting)
      }
    }

    /// Restores earlier purchases. Call it only when the customer taps for it: the store may ask for their password.
    public func restorePurchases(
      completion: @escaping @MainActor @Sendable (_ fulfilled: Int, (any Error)?) -> Void
    ) {
      work.start { [purchasing] in
        do throws(PurchasingError) {
          await completion(try await purchasing.restorePurchases().fulfilled, nil)
        } catch {
          await completion(0, self.error(error))
        }
      }
    }

    /// The entitlements of the signed-in user, as the server says now; nil if it could not be asked, which does not
    /// mean that the user has none.
    public func entitlements(
      completion: @escaping @MainActor @Sendable ([ObjectiveCEntitlement]?, (any Error)?) -> Void
    ) {
      work.start { [purchasing] in
        do throws(PurchasingError) {
          await completion(try await purchasing.entitlements().map { ObjectiveCEntitlement($0) }, nil)
        } catch {
          await completion(nil, self.error(error))
        }
      }
    }

    /// The balances of the signed-in user, as the server says now; nil if it could not be asked, which does not mean
    /// that the user has none.
    public func balances(
      completion: @escaping @MainActor @Sendable ([ObjectiveCBalance]?, (any Error)?) -> Void
    ) {
      work.start { [purchasing] in
        do throws(PurchasingError) {
          await completion(try await purchasing.balances().map { ObjectiveCBalance($0) }, nil)
        } catch {
          await completion(nil, self.error(error))
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

    func error(_ error: PurchasingError) -> NSError { Self.error(error, purchasing.message(for: error)) }

    /// A sheet of the store that did not open, or failed.
    func error(_ failure: StoreFailure) -> NSError {
      error(PurchasingError(.storeFailed, failure.explanation, storeFailure: failure))
    }

    /// `userInfo` contains the stable code; the text is for the customer, in their language.
    private static func error(_ error: PurchasingError, _ text: String) -> NSError {
      NSError(
        domain: "CFLPurchasing", code: error.storeFailure?.code ?? 0,
        userInfo: [
          NSLocalizedDescriptionKey: text, NSLocalizedFailureReasonErrorKey: error.details,
          "code": error.code.rawValue,
        ])
    }

    @MainActor private func post(_ event: PurchaseEvent) {
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
      facts["message"] = purchasing.message(for: event)
      var information: [String: Any] = facts
      if case .promotedPayment(let payment) = event {
        information["promotedPayment"] = ObjectiveCPromotedPayment(payment)
      }
      NotificationCenter.default.post(name: Self.eventNotification, object: self, userInfo: information)
    }
  }
#endif
