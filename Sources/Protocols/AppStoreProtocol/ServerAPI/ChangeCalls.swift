package import PaymentPrimitives
import StrictJSON

// Calls that change data at Apple. Each is idempotent: a repetition changes nothing more.

extension AppStoreServerCall where Answer == AppStoreAcceptance {
  /// Finish Transaction: removes a delivered transaction from the device's queue.
  ///
  /// Send it only after the delivery is committed: afterwards StoreKit never shows the transaction again.
  /// - Throws: the id is not a number.
  package static func finishTransaction(
    _ transactionId: TransactionIdentifier
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> AppStoreServerCall {
    let id = try AppStoreServerPath.number(transactionId.text)
    return AppStoreServerCall(.finishTransaction, "/inApps/v1/transactions/\(id)/finish", accepted: 200)
  }

  /// Set App Account Token: makes a purchase name our order, if it named none or another one.
  ///
  /// For a subscription, this changes the current and later renewals. It does not work for Family Sharing.
  /// - Parameters:
  ///   - token: the order that the purchase will name.
  ///   - original: an *original* transaction id; Apple rejects others (4000187).
  /// - Throws: the id is not a number.
  package static func setAppAccountToken(
    _ token: OrderIdentifier, of original: TransactionIdentifier
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> AppStoreServerCall {
    let id = try AppStoreServerPath.number(original.text)
    return AppStoreServerCall(
      .appAccountToken, "/inApps/v1/transactions/\(id)/appAccountToken",
      body: .members([("appAccountToken", .text(token.appAccountToken))]), accepted: 200)
  }

  /// Send Consumption Information, version 2: the answer to `CONSUMPTION_REQUEST`, due within 12 hours.
  ///
  /// - Throws: a value that Apple would reject.
  package static func consumption(
    _ request: ConsumptionRequest, of transactionId: TransactionIdentifier
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> AppStoreServerCall {
    let id = try AppStoreServerPath.number(transactionId.text)
    return AppStoreServerCall(
      .consumption, "/inApps/v2/transactions/consumption/\(id)", body: try request.body(), accepted: 202)
  }

  /// Send Consumption Information, version 1. It is only for transactions of the Advanced Commerce API, which version 2
  /// does not accept.
  ///
  /// - Throws: the id is not a number, or the customer did not consent.
  package static func consumptionV1(
    _ request: ConsumptionRequestV1, of transactionId: TransactionIdentifier
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> AppStoreServerCall {
    let id = try AppStoreServerPath.number(transactionId.text)
    return AppStoreServerCall(
      .consumptionV1, "/inApps/v1/transactions/consumption/\(id)", body: try request.body(), accepted: 202)
  }
}
