import AppStoreProtocol
import Cryptography
import PaymentPrimitives
import SigningAuthorities

/// Writes and signs receipts of the state at one moment.
struct ReceiptWriter {
  let snapshot: AppStoreSnapshot

  func appReceipt(
    of owner: AppOwner, for vendor: AppStoreUUID? = nil
  ) throws(CodedError<SimulatorErrorCode>) -> String {
    let (state, moment) = (snapshot.state, snapshot.now)
    guard let app = state.apps[owner.bundleId] else { throw CodedError(.appUnknown) }
    guard let account = state.accounts[owner.account] else { throw CodedError(.accountUnknown) }
    var content = AppReceiptContent()
    content.add(0, text: account.environment == .production ? "Production" : "ProductionSandbox")
    content.add(1, number: account.environment == .production ? app.appAppleId : 0)
    content.add(2, text: app.bundleId)
    content.add(3, text: app.version)
    if let vendor {
      content.add(
        device: vendor.deviceBytes, opaqueValue: snapshot.dependencies.randomBytes(16), bundleId: app.bundleId)
    }
    content.add(8, date: moment)
    content.add(12, date: moment)
    for id in state.transactionsByOwner[owner] ?? [] {
      guard let transaction = state.transactions[id], transaction.type != .consumable || !transaction.isFinished
      else { continue }
      content.add(purchase: purchase(transaction))
    }
    let download = state.downloads[owner]
    content.add(18, date: download?.originalPurchaseDate ?? moment)
    content.add(19, text: download?.originalVersion ?? app.build)
    content.add(21, date: nil)
    return snapshot.signer.receiptChain(at: moment).appReceipt(content)
  }

  private func purchase(_ transaction: SimulatedTransaction) -> AppReceiptContent {
    var content = AppReceiptContent()
    content.add(1701, number: Int64(transaction.quantity))
    content.add(1702, text: transaction.product.text)
    content.add(1703, text: transaction.id.text)
    content.add(1704, date: transaction.purchaseDate)
    content.add(1705, text: transaction.originalId.text)
    content.add(1706, date: transaction.originalPurchaseDate)
    content.add(1707, number: transaction.type.receiptNumber)
    content.add(1708, date: transaction.period?.expiresDate)
    content.add(1711, number: transaction.period.flatMap { Int64($0.webOrderLineItemId) } ?? 0)
    // Receipts show no partial refunds.
    let revocation = snapshot.state.revocation(of: transaction)
    content.add(1712, date: revocation?.isWhole == true ? revocation?.date : nil)
    if transaction.period != nil {
      content.add(1713, number: transaction.isTrial ? 1 : 0)
      content.add(1719, number: transaction.isIntroduced ? 1 : 0)
    }
    return content
  }

  func transactionReceipt(
    of id: TransactionIdentifier
  ) throws(CodedError<SimulatorErrorCode>) -> String {
    guard let transaction = snapshot.state.transactions[id] else { throw CodedError(.transactionUnknown) }
    var fields: [(name: String, value: String)] = [
      ("original-transaction-id", transaction.originalId.text),
      ("bvrs", snapshot.state.apps[transaction.owner.bundleId]?.version ?? "1.0"),
      ("transaction-id", transaction.id.text),
      ("quantity", "\(transaction.quantity)"), ("product-id", transaction.product.text),
      ("bid", transaction.owner.bundleId),
    ]
    Self.add("purchase-date", transaction.purchaseDate, to: &fields)
    Self.add("original-purchase-date", transaction.originalPurchaseDate, to: &fields)
    if let period = transaction.period {
      fields.append(("expires-date", "\(period.expiresDate.milliseconds)"))
      fields.append(("web-order-line-item-id", period.webOrderLineItemId))
    }
    // Production receipts name no environment.
    return snapshot.signer.receiptChain(at: snapshot.now).transactionReceipt(
      fields, environment: transaction.environment == .production ? nil : "Sandbox")
  }

  /// A date in Apple's two forms: text to the second, and milliseconds.
  private static func add(
    _ name: String, _ moment: Timestamp, to fields: inout [(name: String, value: String)]
  ) {
    let text = moment.iso8601
    fields.append((name, "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) Etc/GMT"))
    fields.append(("\(name)-ms", "\(moment.milliseconds)"))
  }
}

extension AppStoreUUID {
  /// The 16 bytes that go into a device hash.
  fileprivate var deviceBytes: [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}

extension ProductType {
  /// Apple's number for the product type in receipts.
  fileprivate var receiptNumber: Int64 {
    switch self {
    case .nonConsumable: 0
    case .consumable: 1
    case .nonRenewingSubscription: 2
    case .autoRenewableSubscription: 3
    }
  }
}
