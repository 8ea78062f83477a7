#if canImport(StoreKit) && !os(macOS) && !os(tvOS) && !os(watchOS)
  public import Counterfoil
  import Foundation
  public import PaymentPrimitives

  #if canImport(UIKit)
    import StoreKit
    public import UIKit
  #else
    public import StoreKit
  #endif

  /// The store's own sheets that begin without an order: subscriptions, refunds, offer codes. Their results come as
  /// transactions, through the queue and through Apple's notifications; the way a sheet ended proves nothing.
  @available(iOS 15.0, visionOS 1.0, *)
  public enum StoreSheets {
    /// The way a customer left the refund sheet.
    public enum RefundRequest: Hashable, Sendable {
      /// The customer sent a request. Apple decides within days; the server and the device both learn the decision.
      case sent
      /// The customer sent no request.
      case cancelled
      /// The customer has already requested a refund of this transaction.
      case sentBefore
    }

    /// The scene of a sheet: the named one, or the one that the customer uses.
    @MainActor static func place(_ scene: UIWindowScene?) throws(StoreFailure) -> UIWindowScene {
      if let scene { return scene }
      switch PurchaseAnchor.found() {
      case .scene(let found as UIWindowScene): return found
      case .viewController(let controller):
        if let found = controller.viewIfLoaded?.window?.windowScene { return found }
      default: break
      }
      throw StoreFailure(.other, explanation: "the app shows nothing now")
    }

    /// Shows the customer's subscriptions of this app, to change or to end them. An upgrade, downgrade or crossgrade
    /// there comes as a transaction, like a purchase.
    ///
    /// - Throws: `StoreFailure` if the sheet did not open.
    public static func manageSubscriptions(in scene: UIWindowScene? = nil) async throws(StoreFailure) {
      let scene = try await place(scene)
      do {
        try await AppStore.showManageSubscriptions(in: scene)
      } catch {
        throw StoreFailure(storeKit2: error)
      }
    }

    /// Lets the customer ask Apple for a refund.
    ///
    /// - Parameters:
    ///   - id: the transaction, as orders and deliveries name it.
    ///   - scene: where the sheet appears; otherwise in the scene that the customer uses.
    /// - Throws: `StoreFailure` if the number is not one of the App Store, or the sheet failed.
    public static func requestRefund(
      of id: TransactionIdentifier, in scene: UIWindowScene? = nil
    ) async throws(StoreFailure) -> RefundRequest {
      guard let number = UInt64(id.text) else {
        throw StoreFailure(.other, explanation: "the number is none of the App Store's")
      }
      let scene = try await place(scene)
      do {
        let status = try await Transaction.beginRefundRequest(for: number, in: scene)
        return status == .success ? .sent : .cancelled
      } catch Transaction.RefundRequestError.duplicateRequest {
        return .sentBefore
      } catch {
        throw StoreFailure(storeKit2: error)
      }
    }

    /// Lets the customer ask Apple for a refund of an order: of the newest transaction that carries it.
    ///
    /// - Parameters:
    ///   - order: the order, as `Purchasing.purchases` names it.
    ///   - scene: where the sheet appears; otherwise in the scene that the customer uses.
    /// - Throws: `StoreFailure` if this device knows no transaction of the order, or the sheet failed. Finished
    ///   consumables are known only with `SKIncludeConsumableInAppPurchaseHistory` in the Info.plist
    ///   (iOS 18); otherwise the customer asks at reportaproblem.apple.com.
    public static func requestRefund(
      ofOrder order: OrderIdentifier, in scene: UIWindowScene? = nil
    ) async throws(StoreFailure) -> RefundRequest {
      var newest: Transaction?
      for await result in Transaction.all {
        let transaction = result.unsafePayloadValue
        guard transaction.appAccountToken.flatMap({ OrderIdentifier($0.uuidString) }) == order,
          transaction.purchaseDate >= newest?.purchaseDate ?? transaction.purchaseDate
        else { continue }
        newest = transaction
      }
      guard let newest else {
        throw StoreFailure(.other, explanation: "this device knows no transaction of the order")
      }
      return try await requestRefund(of: TransactionIdentifier("\(newest.id)"), in: scene)
    }

    /// Lets the customer redeem an offer code. A redeemed code has no order: the server makes one for the user who is
    /// signed in when the transaction comes.
    ///
    /// - Throws: `StoreFailure` if the sheet did not open.
    public static func redeemOfferCode(in scene: UIWindowScene? = nil) async throws(StoreFailure) {
      guard #available(iOS 16.0, *) else {
        #if os(visionOS)
          return
        #else
          // It reports no result.
          return SKPaymentQueue.default().presentCodeRedemptionSheet()
        #endif
      }
      let scene = try await place(scene)
      do {
        try await AppStore.presentOfferCodeRedeemSheet(in: scene)
      } catch {
        throw StoreFailure(storeKit2: error)
      }
    }
  }
#endif
