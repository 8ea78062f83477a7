import AppStoreProtocol
import PaymentPrimitives
import StrictJSON

/// A receipt of this simulator, in one of its two formats.
enum VerifyReceiptAnswer {
  /// Since iOS 7: one receipt for all purchases.
  case unified(AppReceipt)
  /// iOS 6: one receipt for each purchase.
  case flat(TransactionReceipt)
}

/// Writes the App Store's data about a receipt in the form of `verifyReceipt`: every value is a text.
struct VerifyReceiptBook {
  let state: SimulatorState
  let secret: String
  /// The host that was called.
  let environment: SimulatedEnvironment
  let now: Timestamp

  func entry(
    _ answer: VerifyReceiptAnswer, _ asked: VerifyReceiptQuestion
  ) throws(VerifyReceiptProblem) -> JSONValue {
    switch answer {
    case .unified(let receipt): try unified(receipt, asked)
    case .flat(let receipt): try flat(receipt, asked)
    }
  }

  // MARK: both formats

  /// The wrong host names the right one by its error number (rule AS-VR-3).
  private func checkHost(_ its: SimulatedEnvironment) throws(VerifyReceiptProblem) {
    guard its != environment else { return }
    throw .status(its == .sandbox ? 21007 : 21008)
  }

  /// Subscriptions require the app's shared secret. A wrong secret is an error, whatever is in the receipt (rule
  /// AS-VR-4).
  private func checkSecret(
    _ asked: VerifyReceiptQuestion, hasSubscriptions: Bool
  ) throws(VerifyReceiptProblem) {
    guard asked.password ?? (hasSubscriptions ? "" : secret) == secret else { throw .status(21004) }
  }

  // MARK: since iOS 7

  private func unified(
    _ receipt: AppReceipt, _ asked: VerifyReceiptQuestion
  ) throws(VerifyReceiptProblem) -> JSONValue {
    try checkHost(receipt.environment == "Production" ? .production : .sandbox)
    let listed = receipt.inApp.compactMap { $0.transactionId.flatMap { state.transactions[TransactionIdentifier($0)] } }
    // A receipt of this simulator from a lost log: the customer is no longer known.
    guard listed.count == receipt.inApp.count else { throw .status(21010) }
    let owner = listed.first?.owner
    let all = (owner.flatMap { state.transactionsByOwner[$0] } ?? []).compactMap { state.transactions[$0] }
    let hasSubscriptions = all.contains { $0.period != nil }
    try checkSecret(asked, hasSubscriptions: hasSubscriptions)
    var facts: [(String, JSONValue?)] = [
      ("receipt_type", receipt.environment.map(JSONValue.string)), ("adam_id", receipt.appItemId.map { .integer($0) }),
      ("app_item_id", receipt.appItemId.map { .integer($0) }), ("bundle_id", receipt.bundleId.map(JSONValue.string)),
      ("application_version", receipt.applicationVersion.map(JSONValue.string)), ("download_id", .integer(0)),
      ("version_external_identifier", .integer(versionNumber(receipt))),
      ("original_application_version", receipt.originalApplicationVersion.map(JSONValue.string)),
      ("in_app", .array(listed.map { .members(entry($0)) })),
    ]
    facts += Self.dates("receipt_creation_date", receipt.creationDate) + Self.dates("request_date", now)
    facts += Self.dates("original_purchase_date", receipt.originalPurchaseDate)
    var members: [(String, JSONValue?)] = [
      ("status", .integer(0)), ("environment", .string(environment.rawValue)), ("receipt", .members(facts)),
    ]
    if hasSubscriptions, let owner {
      let newest = all.filter { $0.type != .consumable || !$0.isFinished }
        .filter {
          !asked.excludesOldTransactions || $0.period == nil || state.subscriptions[$0.originalId]?.latest == $0.id
        }
      members += [
        ("latest_receipt", .string(asked.receipt)),
        ("latest_receipt_info", .array(newest.reversed().map { .members(entry($0)) })),
        ("pending_renewal_info", .array(renewals(of: owner))),
      ]
    }
    return .members(members)
  }

  private func renewals(of owner: AppOwner) -> [JSONValue] {
    state.subscriptions.values.filter { $0.owner == owner }.sorted { $0.id < $1.id }.map { subscription in
      let latest = state.transactions[subscription.latest]
      let isOver = (latest?.period?.expiresDate ?? now) <= now
      return .members([
        ("auto_renew_product_id", (subscription.next ?? latest?.product).map { .string($0.text) }),
        ("auto_renew_status", subscription.autoRenews ? "1" : "0"),
        ("expiration_intent", isOver ? (subscription.autoRenews ? "2" : "1") : nil),
        ("is_in_billing_retry_period", isOver ? (subscription.autoRenews ? "1" : "0") : nil),
        ("original_transaction_id", .string(subscription.id.text)),
        ("product_id", latest.map { .string($0.product.text) }),
      ])
    }
  }

  // MARK: iOS 6

  private func flat(
    _ receipt: TransactionReceipt, _ asked: VerifyReceiptQuestion
  ) throws(VerifyReceiptProblem) -> JSONValue {
    guard let id = receipt.transactionId, let transaction = state.transactions[TransactionIdentifier(id)] else {
      throw .status(21010)
    }
    try checkHost(transaction.environment)
    try checkSecret(asked, hasSubscriptions: transaction.period != nil)
    let app = state.apps[transaction.owner.bundleId]
    let heading: [(String, JSONValue?)] = [
      ("bid", .string(transaction.owner.bundleId)), ("bvrs", .string(app?.version ?? "1.0")),
      ("unique_identifier", .string(Self.noDevice)),
    ]
    // This format has milliseconds where the other has text.
    func members(_ transaction: SimulatedTransaction) -> JSONValue {
      let expires = transaction.period?.expiresDate
      let facts = entry(transaction).filter { !$0.0.hasPrefix("expires_date") }
      return .members(
        heading + facts + [
          ("item_id", .string("\(ListedNumbers.product(transaction.product, of: transaction.owner.bundleId))")),
          ("expires_date", expires.map { .string("\($0.milliseconds)") }),
          ("expires_date_formatted", expires.map { .string(Self.words($0, "Etc/GMT")) }),
        ])
    }
    guard let period = transaction.period, let subscription = state.subscriptions[transaction.originalId],
      let latest = state.transactions[subscription.latest]
    else { return .members([("status", .integer(0)), ("receipt", members(transaction))]) }
    let isOver = (latest.period ?? period).expiresDate <= now
    return .members([
      ("status", .integer(isOver ? 21006 : 0)), ("receipt", members(transaction)),
      ("latest_receipt", .string(asked.receipt)),
      (isOver ? "latest_expired_receipt_info" : "latest_receipt_info", members(latest)),
    ])
  }

  /// Apple's number of the version that the customer has; 0 in the sandbox.
  private func versionNumber(_ receipt: AppReceipt) -> Int64 {
    guard environment == .production, let app = receipt.bundleId.flatMap({ state.apps[$0] }) else { return 0 }
    return ListedNumbers.version(app.build, of: app.bundleId)
  }

  private static let noDevice = String(repeating: "0", count: 40)

  // MARK: one transaction

  /// One transaction in both formats: with the token and the refund, which the receipt itself does not show (rule
  /// AS-VR-5).
  private func entry(_ transaction: SimulatedTransaction) -> [(String, JSONValue?)] {
    var facts: [(String, JSONValue?)] = [
      ("quantity", .string("\(transaction.quantity)")), ("product_id", .string(transaction.product.text)),
      ("transaction_id", .string(transaction.id.text)),
      ("original_transaction_id", .string(transaction.originalId.text)),
    ]
    facts += Self.dates("purchase_date", transaction.purchaseDate)
    facts += Self.dates("original_purchase_date", transaction.originalPurchaseDate)
    facts += Self.dates("expires_date", transaction.period?.expiresDate)
    let revocation = state.revocation(of: transaction)
    // As in receipts: partial refunds are not shown.
    if let revocation, revocation.isWhole {
      facts += Self.dates("cancellation_date", revocation.date)
      facts.append(("cancellation_reason", .string("\(revocation.reason.rawValue)")))
    }
    facts += [
      ("is_trial_period", .string("\(transaction.isTrial)")),
      ("is_in_intro_offer_period", transaction.period.map { _ in .string("\(transaction.isIntroduced)") }),
      ("is_upgraded", transaction.upgrade.map { _ in "true" }),
      ("web_order_line_item_id", transaction.period.map { .string($0.webOrderLineItemId) }),
      ("subscription_group_identifier", transaction.period.map { .string($0.group) }),
      ("in_app_ownership_type", transaction.isFamilyShared ? "FAMILY_SHARED" : "PURCHASED"),
      ("app_account_token", transaction.appAccountToken.map { .string($0.text) }),
    ]
    return facts
  }

  // MARK: dates

  /// A moment in Apple's three forms (rule AS-VR-6).
  static func dates(_ name: String, _ moment: Timestamp?) -> [(String, JSONValue?)] {
    guard let moment else { return [] }
    return [
      (name, .string(words(moment, "Etc/GMT"))), (name + "_ms", .string("\(moment.milliseconds)")),
      (name + "_pst", .string(words(moment - .hours(hoursBehindInCalifornia(moment)), "America/Los_Angeles"))),
    ]
  }

  private static func words(_ clock: Timestamp, _ zone: String) -> String {
    let text = clock.iso8601
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) \(zone)"
  }

  /// Clocks go forward on the second Sunday of March at 10:00 UTC and back on the first Sunday of November at 9:00 UTC.
  private static func hoursBehindInCalifornia(_ moment: Timestamp) -> Int64 {
    let year = moment.iso8601.prefix(4)
    func sunday(_ month: String, _ time: String, weeks: Int64) -> Timestamp? {
      guard let first = Timestamp(iso8601: "\(year)-\(month)-01T\(time):00:00Z") else { return nil }
      // 1970-01-01 was a Thursday; days are counted from Sunday.
      let weekday = (first.seconds / 86_400 + 4) % 7
      return first + .days((7 - weekday) % 7 + 7 * weeks)
    }
    guard let ahead = sunday("03", "10", weeks: 1), let back = sunday("11", "09", weeks: 0) else { return 8 }
    return ahead <= moment && moment < back ? 7 : 8
  }
}
