#if canImport(StoreKit) && !os(macOS) && !os(tvOS) && !os(watchOS)
  public import Counterfoil
  public import PaymentPrimitives

  #if canImport(UIKit)
    import StoreKit
    public import UIKit
  #else
    public import StoreKit
  #endif

  /// The store's own sheets that begin without an order: subscriptions, refunds, offer codes. What comes of them comes
  /// as transactions, through the queue and through Apple's notifications; nothing is concluded from how a sheet ended.
  @available(iOS 15.0, visionOS 1.0, *)
  public enum StoreSheets {
    /// How a customer left the sheet in which refunds are asked for.
    public enum RefundRequest: Hashable, Sendable {
      /// He asked. Apple decides within days; the server hears of it, and the device too.
      case sent
      /// He did not ask after all.
      case cancelled
      /// He has asked for this one before.
      case sentBefore
    }

    /// Shows the customer's subscriptions of this app, to change or to end them. An upgrade, a downgrade or a
    /// crossgrade made there comes as a transaction, like one that was bought.
    ///
    /// - Throws: `StoreFailure` when the sheet did not open.
    public static func manageSubscriptions(in scene: UIWindowScene) async throws(StoreFailure) {
      do {
        try await AppStore.showManageSubscriptions(in: scene)
      } catch {
        throw StoreFailure(storeKit2: error)
      }
    }

    /// Lets the customer ask Apple for his money back.
    ///
    /// - Parameters:
    ///   - id: the transaction, as orders and deliveries name it.
    ///   - scene: where the sheet appears.
    /// - Throws: `StoreFailure` when the number is none of the App Store's, or the sheet failed.
    public static func requestRefund(
      of id: TransactionIdentifier, in scene: UIWindowScene
    ) async throws(StoreFailure) -> RefundRequest {
      guard let number = UInt64(id.text) else {
        throw StoreFailure(.other, explanation: "the number is none of the App Store's")
      }
      do {
        let status = try await Transaction.beginRefundRequest(for: number, in: scene)
        return status == .success ? .sent : .cancelled
      } catch Transaction.RefundRequestError.duplicateRequest {
        return .sentBefore
      } catch {
        throw StoreFailure(storeKit2: error)
      }
    }

    /// Lets the customer redeem an offer code. What he redeems has no order: the server makes one for the user who is
    /// signed in when the transaction comes.
    ///
    /// - Throws: `StoreFailure` when the sheet did not open.
    public static func redeemOfferCode(in scene: UIWindowScene) async throws(StoreFailure) {
      guard #available(iOS 16.0, *) else {
        #if os(visionOS)
          return
        #else
          // It says nothing of how it went.
          return SKPaymentQueue.default().presentCodeRedemptionSheet()
        #endif
      }
      do {
        try await AppStore.presentOfferCodeRedeemSheet(in: scene)
      } catch {
        throw StoreFailure(storeKit2: error)
      }
    }
  }
#endif
