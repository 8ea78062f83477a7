import AppStoreProtocol
import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// The answers of the App Store Server API about one transaction.
struct TransactionAnswers {
  let call: APICall
  let snapshot: AppStoreSnapshot

  func transactionInfo() throws(AppStoreAPIProblem) -> HTTPResponse {
    let transaction = try call.transaction(in: snapshot.state)
    return HTTPResponse(
      status: 200, json: .members([("signedTransactionInfo", try snapshot.signedForServer(transaction.id))]))
  }

  /// Rule AS-API-6: one order for each charge. Apple also answers 200 for an unknown order. In the sandbox there is no
  /// such call.
  func orderLookup() throws(AppStoreAPIProblem) -> HTTPResponse {
    guard call.environment == .production else { throw .empty(404) }
    let transaction = SimulatedTransaction.id(ofOrder: call.route.parameter).flatMap { snapshot.state.transactions[$0] }
    guard let transaction, transaction.isCharge, transaction.owner.bundleId == call.app.bundleId,
      transaction.environment == call.environment
    else { return HTTPResponse(status: 200, json: .members([("status", .integer(1))])) }
    return HTTPResponse(
      status: 200,
      json: .members([("status", .integer(0)), ("signedTransactions", try snapshot.signedForServer([transaction]))]))
  }
}

extension AppStoreSnapshot {
  /// A transaction as servers get it: without device verification.
  func signedForServer(_ id: TransactionIdentifier) throws(AppStoreAPIProblem) -> JSONValue {
    do { return .string(try signedTransaction(id).signedTransaction) } catch { throw .generalInternal }
  }

  func signedForServer(_ list: some Sequence<SimulatedTransaction>) throws(AppStoreAPIProblem) -> JSONValue {
    var signed: [JSONValue] = []
    for transaction in list { signed.append(try signedForServer(transaction.id)) }
    return .array(signed)
  }
}

extension SimulatedTransaction {
  /// The order id in Apple's mail to the customer: `M` and the transaction id in base 36.
  package var orderId: String { "M" + String(Int64(id.text) ?? 0, radix: 36, uppercase: true) }

  static func id(ofOrder order: String) -> TransactionIdentifier? {
    guard order.utf8.count <= 14, order.hasPrefix("M"), let number = Int64(order.dropFirst(), radix: 36), number > 0
    else { return nil }
    return TransactionIdentifier(String(number))
  }
}
