import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// One API call after the gate.
struct APICall {
  let route: AppStoreAPIRoute
  let body: [UInt8]
  let app: SimulatedApp
  let environment: SimulatedEnvironment

  /// The values of a query parameter that may repeat.
  func values(_ name: String) -> [String] {
    route.target.query.filter { $0.name == name }.map(\.value)
  }

  /// The converted value of a query parameter; nil when it is absent.
  func value<Value>(
    _ name: String, or problem: AppStoreAPIProblem, _ convert: (String) -> Value?
  ) throws(AppStoreAPIProblem) -> Value? {
    guard let text = values(name).first else { return nil }
    guard let value = convert(text) else { throw problem }
    return value
  }

  /// The body as an object; null members count as absent.
  func object() throws(AppStoreAPIProblem) -> JSONValue {
    let limits = JSONLimits(bytesMax: SimulatorLimits.controlBodyBytesMax, depthMax: 4, valuesMax: 300)
    guard let members = (try? JSONReader.read(body, limits: limits))?.object else { throw .bodyInvalid }
    return .object(members.filter { $0.value != .null })
  }

  /// The members that every list has.
  var heading: [(String, JSONValue?)] {
    [
      ("bundleId", .string(app.bundleId)),
      ("appAppleId", environment == .production ? .integer(app.appAppleId) : nil),
      ("environment", .string(environment.rawValue)),
    ]
  }
}

extension APICall {
  /// A transaction of the calling app in the requested environment.
  ///
  /// - Throws: 4000006 when the text is no number, 4000048 for the id of an app transaction, 4040010.
  func transaction(in state: SimulatorState) throws(AppStoreAPIProblem) -> SimulatedTransaction {
    let text = route.parameter
    guard Names.number(text) != nil else { throw .transactionIdInvalid }
    guard let transaction = state.transactions[TransactionIdentifier(text)] else {
      throw state.downloadOwners[text] != nil ? .appTransactionIdNotSupported : .transactionIdNotFound
    }
    guard transaction.owner.bundleId == app.bundleId, transaction.environment == environment else {
      throw .transactionIdNotFound
    }
    return transaction
  }

  /// The transaction that the path names by its original id.
  ///
  /// - Throws: 4000008 when the text is no number, 4000048 for the id of an app transaction, 4040005.
  func originalTransaction(in state: SimulatorState) throws(AppStoreAPIProblem) -> SimulatedTransaction {
    guard Names.number(route.parameter) != nil else {
      throw .badRequest(4_000_008, "Invalid original transaction id.")
    }
    do throws(AppStoreAPIProblem) { return try transaction(in: state) } catch {
      throw error == .transactionIdNotFound ? .originalTransactionIdNotFound : error
    }
  }

  /// The customer that any of Apple's three kinds of ids names (rule AS-API-5).
  func owner(in state: SimulatorState) throws(AppStoreAPIProblem) -> AppOwner {
    let text = route.parameter
    guard Names.number(text) != nil else { throw .transactionIdInvalid }
    guard let owner = state.transactions[TransactionIdentifier(text)]?.owner ?? state.downloadOwners[text],
      owner.bundleId == app.bundleId,
      state.accounts[owner.account]?.environment == environment
    else { throw .transactionIdNotFound }
    return owner
  }
}
