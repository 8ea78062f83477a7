import PaymentPrimitives
import SimulatedDevice
public import UIKit

extension AppStore {
  public static func showManageSubscriptions(in scene: UIWindowScene) async throws {
    guard await theRun().device.appStoreSheets.manageSubscriptions() != nil else { throw CancellationError() }
  }

  public static func presentOfferCodeRedeemSheet(in scene: UIWindowScene) async throws {
    switch await theRun().device.appStoreSheets.redeemOfferCode() {
    case .success: return
    case .failure(let failure): throw failure.forStoreKit2
    case nil: throw CancellationError()
    }
  }
}

extension SKPaymentQueue {
  public func presentCodeRedemptionSheet() {
    let run = theRun()
    run.start { _ = await run.device.appStoreSheets.redeemOfferCode() }
  }
}

extension Transaction {
  /// Stand-in for Apple's enumeration of the same name.
  public enum RefundRequestStatus: Hashable, Sendable {
    case userCancelled
    case success
  }

  /// Stand-in for Apple's enumeration of the same name.
  public enum RefundRequestError: Error, Hashable, Sendable {
    case duplicateRequest
    case failed
  }

  public static func beginRefundRequest(
    for transactionID: UInt64, in scene: UIWindowScene
  ) async throws -> RefundRequestStatus {
    switch await theRun().device.appStoreSheets.requestRefund(TransactionIdentifier("\(transactionID)")) {
    case .sent: return .success
    case .cancelled: return .userCancelled
    case .sentBefore: throw RefundRequestError.duplicateRequest
    case .failed: throw RefundRequestError.failed
    case nil: throw CancellationError()
    }
  }
}
