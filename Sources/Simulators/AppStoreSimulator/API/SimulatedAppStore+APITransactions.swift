import AppStoreProtocol
import HTTPMessages
import PaymentPrimitives
import StrictJSON

// Calls about one transaction.

extension SimulatedAppStore {
  /// A transaction of the calling app in the requested environment.
  ///
  /// - Throws: 4000006 when the text is no number, 4000048 for the id of an app transaction, 4040010.
  static func transaction(
    _ text: String, for call: APICall, in state: SimulatorState
  ) throws(AppStoreAPIProblem) -> SimulatedTransaction {
    guard Names.number(text) != nil else { throw .transactionIdInvalid }
    guard let transaction = state.transactions[TransactionIdentifier(text)] else {
      throw state.downloadOwners[text] != nil ? .appTransactionIdNotSupported : .transactionIdNotFound
    }
    guard transaction.owner.bundleId == call.app.bundleId, transaction.environment == call.environment else {
      throw .transactionIdNotFound
    }
    return transaction
  }

  /// The customer that any of Apple's three kinds of ids names (rule AS-API-5).
  func owner(of call: APICall) throws(AppStoreAPIProblem) -> AppOwner {
    let text = call.route.parameter
    guard Names.number(text) != nil else { throw .transactionIdInvalid }
    guard let owner = state.transactions[TransactionIdentifier(text)]?.owner ?? state.downloadOwners[text],
      owner.bundleId == call.app.bundleId,
      state.accounts[owner.account]?.environment == call.environment
    else { throw .transactionIdNotFound }
    return owner
  }

  /// A transaction as servers get it: without device verification.
  func signedForServer(_ id: TransactionIdentifier) throws(AppStoreAPIProblem) -> JSONValue {
    do { return .string(try signedTransaction(id).signedTransaction) } catch { throw .generalInternal }
  }

  func signedForServer(_ list: some Sequence<SimulatedTransaction>) throws(AppStoreAPIProblem) -> JSONValue {
    var signed: [JSONValue] = []
    for transaction in list { signed.append(try signedForServer(transaction.id)) }
    return .array(signed)
  }

  func transactionInfo(_ call: APICall) throws(AppStoreAPIProblem) -> HTTPResponse {
    let transaction = try Self.transaction(call.route.parameter, for: call, in: state)
    return HTTPResponse(
      status: 200, json: .members([("signedTransactionInfo", try signedForServer(transaction.id))]))
  }

  func appTransactionInfo(_ call: APICall) async throws(AppStoreAPIProblem) -> HTTPResponse {
    let owner = try owner(of: call)
    guard state.downloads[owner] != nil else {
      throw AppStoreAPIProblem(404, 4_040_019, message: "App transaction does not exist.")
    }
    let signed: String
    do { signed = try await signedAppTransaction(of: owner) } catch { throw .generalInternal }
    return HTTPResponse(status: 200, json: .members([("signedAppTransactionInfo", .string(signed))]))
  }

  /// Rule AS-API-6: one order for each charge. Apple also answers 200 for an unknown order.
  func orderLookup(_ call: APICall) throws(AppStoreAPIProblem) -> HTTPResponse {
    let transaction = SimulatedTransaction.id(ofOrder: call.route.parameter).flatMap { state.transactions[$0] }
    guard let transaction, transaction.isCharge, transaction.owner.bundleId == call.app.bundleId,
      transaction.environment == call.environment
    else { return HTTPResponse(status: 200, json: .members([("status", .integer(1))])) }
    return HTTPResponse(
      status: 200,
      json: .members([("status", .integer(0)), ("signedTransactions", try signedForServer([transaction]))]))
  }

  /// Rule AS-API-7: a finish by the server has the same effect as a finish by the device.
  func finishByAPI(_ call: APICall) async throws(AppStoreAPIProblem) -> HTTPResponse {
    try await commitForAPI { decision throws(AppStoreAPIProblem) in
      let transaction = try Self.transaction(call.route.parameter, for: call, in: decision.state)
      if !transaction.isFinished { decision.event = .finished(transaction.id) }
      return HTTPResponse(status: 200)
    }
  }

  /// Rule AS-API-8: sets the token of the transaction with this original id. For a subscription it sets the token of
  /// the current period and of the following ones.
  func setAppAccountToken(_ call: APICall) async throws(AppStoreAPIProblem) -> HTTPResponse {
    let object = try call.object()
    guard let token = object["appAccountToken"]?.string.flatMap({ AppStoreUUID($0) }) else {
      throw .badRequest(4_000_183, "Invalid request. App account token field must be a valid UUID.")
    }
    return try await commitForAPI { decision throws(AppStoreAPIProblem) in
      guard Names.number(call.route.parameter) != nil else {
        throw .badRequest(4_000_008, "Invalid original transaction id.")
      }
      let transaction: SimulatedTransaction
      do throws(AppStoreAPIProblem) {
        transaction = try Self.transaction(call.route.parameter, for: call, in: decision.state)
      } catch { throw error == .transactionIdNotFound ? .originalTransactionIdNotFound : error }
      guard transaction.originalId == transaction.id else {
        throw .badRequest(
          4_000_187, "Invalid request. The transaction ID provided is not an original transaction ID.")
      }
      guard !transaction.isFamilyShared else {
        throw .badRequest(4_000_185, "Invalid request. Family Sharing transactions aren't supported.")
      }
      let id = decision.state.lines[transaction.id]?.latest ?? transaction.id
      if decision.state.transactions[id]?.appAccountToken != token { decision.event = .appAccountTokenSet(id, token) }
      return HTTPResponse(status: 200)
    }
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
