package import PaymentPrimitives
import StrictJSON

// What changes something at Apple. Each can be repeated: the second time changes nothing more.

extension AppStoreServerCall where Answer == AppStoreAcceptance {
  /// Finish Transaction: takes a transaction that was delivered out of the phone's queue.
  ///
  /// It must not be sent before the delivery is committed: afterwards StoreKit never shows the transaction again.
  /// - Throws: an id that is no number.
  package static func finishTransaction(
    _ transactionId: TransactionIdentifier
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> AppStoreServerCall {
    let id = try AppStoreServerPath.number(transactionId.text)
    return AppStoreServerCall(.finishTransaction, "/inApps/v1/transactions/\(id)/finish", accepted: 200)
  }

  /// Set App Account Token: makes a purchase name an order of ours, where it was made without or with another one.
  ///
  /// Of a subscription it changes the current and later renewals. Not for what came through Family Sharing.
  /// - Parameters:
  ///   - token: the order that it shall name.
  ///   - original: an *original* transaction id; others are refused (4000187).
  /// - Throws: an id that is no number.
  package static func setAppAccountToken(
    _ token: OrderIdentifier, of original: TransactionIdentifier
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> AppStoreServerCall {
    let id = try AppStoreServerPath.number(original.text)
    return AppStoreServerCall(
      .appAccountToken, "/inApps/v1/transactions/\(id)/appAccountToken",
      body: .members([("appAccountToken", .text(token.appAccountToken))]), accepted: 200)
  }

  /// Send Consumption Information, version 2: the answer to `CONSUMPTION_REQUEST`, within 12 hours.
  ///
  /// - Throws: what Apple would refuse.
  package static func consumption(
    _ request: ConsumptionRequest, of transactionId: TransactionIdentifier
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> AppStoreServerCall {
    let id = try AppStoreServerPath.number(transactionId.text)
    return AppStoreServerCall(
      .consumption, "/inApps/v2/transactions/consumption/\(id)", body: try request.body(), accepted: 202)
  }

  /// Send Consumption Information, version 1: only for transactions of the Advanced Commerce API, which version 2 does
  /// not take.
  ///
  /// - Throws: an id that is no number, or a request without the customer's consent.
  package static func consumptionV1(
    _ request: ConsumptionRequestV1, of transactionId: TransactionIdentifier
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> AppStoreServerCall {
    let id = try AppStoreServerPath.number(transactionId.text)
    return AppStoreServerCall(
      .consumptionV1, "/inApps/v1/transactions/consumption/\(id)", body: try request.body(), accepted: 202)
  }
}
