import AppStoreProtocol
import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// The answers of the App Store Server API with a customer's transactions, ordered by their last change (rule
/// AS-API-9).
struct HistoryAnswers {
  let call: APICall
  let snapshot: AppStoreSnapshot

  /// Items per page, the same as Apple's.
  static let pageSize = 20

  /// The end of a page: the number of its last change, and its last transaction.
  private struct Revision {
    let change: Int
    let last: String

    init(change: Int, last: String) { (self.change, self.last) = (change, last) }

    init?(_ text: String) {
      let parts = text.split(separator: "_", omittingEmptySubsequences: false)
      guard parts.count == 2, let change = Int(parts[0]), change >= 0, Names.number(String(parts[1])) != nil else {
        return nil
      }
      self.init(change: change, last: String(parts[1]))
    }

    var text: String { "\(change)_\(last)" }
  }

  func history(isFirstVersion: Bool) throws(AppStoreAPIProblem) -> HTTPResponse {
    let filter = try HistoryFilter(call)
    let state = snapshot.state
    let list = (state.transactionsByOwner[try call.owner(in: state)] ?? []).compactMap { state.transactions[$0] }
      .filter { transaction in
        // The first version never shows finished consumables.
        if isFirstVersion, transaction.type == .consumable, transaction.isFinished { return false }
        return filter.takes(transaction, isRevoked: state.revocation(of: transaction) != nil)
      }
    return try page(list, isDescending: filter.isDescending, heading: call.heading)
  }

  func refundHistory() throws(AppStoreAPIProblem) -> HTTPResponse {
    let state = snapshot.state
    let list = (state.transactionsByOwner[try call.owner(in: state)] ?? []).compactMap { state.transactions[$0] }
      .filter { state.revocation(of: $0) != nil }
    return try page(list, isDescending: false, heading: [])
  }

  private func page(
    _ list: [SimulatedTransaction], isDescending: Bool, heading: [(String, JSONValue?)]
  ) throws(AppStoreAPIProblem) -> HTTPResponse {
    let revision = try call.value(
      "revision", or: .badRequest(4_000_005, "Invalid request revision."), Revision.init(_:))
    let changed = list.map { (change: snapshot.state.changes[$0.id] ?? 0, transaction: $0) }
      .sorted { isDescending ? $0.change > $1.change : $0.change < $1.change }
      .filter { item in
        guard let revision else { return true }
        return isDescending ? item.change < revision.change : item.change > revision.change
      }
    let shown = changed.prefix(Self.pageSize)
    let last = shown.last.map { Revision(change: $0.change, last: $0.transaction.id.text) } ?? revision
    return HTTPResponse(
      status: 200,
      json: .members(
        [("revision", .string(last?.text ?? "0_0")), ("hasMore", .bool(changed.count > shown.count))] + heading
          + [("signedTransactions", try snapshot.signedForServer(shown.map(\.transaction)))]))
  }
}

/// The filter of a history request.
private struct HistoryFilter {
  private let start: Timestamp?
  private let end: Timestamp?
  private let products: Set<String>
  private let types: Set<ProductType>
  private let groups: Set<String>
  private let isShared: Bool?
  private let isRevoked: Bool?
  let isDescending: Bool

  private static let types: [String: ProductType] = [
    "AUTO_RENEWABLE": .autoRenewableSubscription, "NON_RENEWABLE": .nonRenewingSubscription,
    "CONSUMABLE": .consumable, "NON_CONSUMABLE": .nonConsumable,
  ]

  init(_ call: APICall) throws(AppStoreAPIProblem) {
    func moment(_ text: String) -> Timestamp? {
      Int64(text).flatMap { $0 >= 0 ? Timestamp(milliseconds: $0) : nil }
    }
    start = try call.value("startDate", or: .badRequest(4_000_015, "Invalid request. Start date is invalid."), moment)
    end = try call.value("endDate", or: .badRequest(4_000_016, "Invalid request. End date is invalid."), moment)
    if let start, let end, start >= end {
      throw .badRequest(4_000_013, "Invalid request. Start date is after end date.")
    }
    products = Set(call.values("productId"))
    guard products.allSatisfy({ Names.productId($0) != nil }) else {
      throw .badRequest(4_000_023, "Invalid request. Product ID is invalid.")
    }
    var types: Set<ProductType> = []
    for text in call.values("productType") {
      guard let type = Self.types[text] else {
        throw .badRequest(4_000_022, "Invalid request. Product type is invalid.")
      }
      types.insert(type)
    }
    self.types = types
    groups = Set(call.values("subscriptionGroupIdentifier"))
    guard groups.allSatisfy({ Names.number($0) != nil }) else {
      throw .badRequest(4_000_024, "Invalid request. Subscription group identifier is invalid.")
    }
    isShared = try call.value(
      "inAppOwnershipType", or: .badRequest(4_000_026, "Invalid request. In-app ownership type is invalid.")
    ) { $0 == "FAMILY_SHARED" ? true : $0 == "PURCHASED" ? false : nil }
    isDescending =
      try call.value("sort", or: .badRequest(4_000_021, "Invalid request. Sort is invalid.")) {
        $0 == "DESCENDING" ? true : $0 == "ASCENDING" ? false : nil
      } ?? false
    let isExcluded = try call.value(
      "excludeRevoked", or: .badRequest(4_000_025, "Invalid request. Exclude revoked is invalid."), Self.flag)
    let isRevoked = try call.value(
      "revoked", or: .badRequest(4_000_030, "Invalid request. Revoked is invalid."), Self.flag)
    self.isRevoked = isRevoked ?? (isExcluded == true ? false : nil)
  }

  /// Apple's library for Python writes `True`, the others write `true`.
  private static func flag(_ text: String) -> Bool? {
    switch text {
    case "true", "True": true
    case "false", "False": false
    default: nil
    }
  }

  func takes(_ transaction: SimulatedTransaction, isRevoked: Bool) -> Bool {
    if let start, transaction.purchaseDate < start { return false }
    if let end, transaction.purchaseDate >= end { return false }
    if !products.isEmpty, !products.contains(transaction.product.text) { return false }
    if !types.isEmpty, !types.contains(transaction.type) { return false }
    if !groups.isEmpty, !(transaction.period.map { groups.contains($0.group) } ?? false) { return false }
    if let isShared, isShared != transaction.isFamilyShared { return false }
    return self.isRevoked.map { $0 == isRevoked } ?? true
  }
}
