import PaymentPrimitives

/// The payment sheets that opened in this run, and the earlier sales with which the store answered some of them.
final class OpenedSheets {
  /// Sheets of one run to remember: a customer does not have more open at once.
  private static let sheetsMax = 20

  private var sheets: [OpenedSheet] = []
  /// Payments that the store has answered with an earlier transaction, until the server has judged that.
  private var answered: [TransactionKey: OrderIdentifier] = [:]

  func open(_ sheet: OpenedSheet) {
    sheets.removeAll { $0.record == sheet.record }
    sheets.append(sheet)
    sheets = Array(sheets.suffix(Self.sheetsMax))
  }

  func sheet(of order: OrderIdentifier) -> OpenedSheet? { sheets.first { $0.order.id == order } }

  func remove(_ order: OrderIdentifier) { sheets.removeAll { $0.order.id == order } }

  /// Notes that the store has reported a failure of a sheet.
  func noteFailure(of record: RecordIdentifier) {
    for index in sheets.indices where sheets[index].record == record { sheets[index].hasFailed = true }
  }

  /// The sheet that plainly caused a charge; nil if there is none or more than one.
  func sheetThatSold(_ transaction: StoreTransaction) -> OpenedSheet? {
    let fitting = sheets.filter { $0.plainlySold(transaction) }
    return fitting.count == 1 ? fitting[0] : nil
  }

  /// The only sheet that may sell a transaction; nil if there is none or more than one.
  func onlySheet(for transaction: StoreTransaction) -> OpenedSheet? {
    let open = sheets.filter { $0.maySell(transaction) }
    return open.count == 1 ? open[0] : nil
  }

  // MARK: answers with an earlier sale

  func noteAnswer(_ key: TransactionKey, to order: OrderIdentifier) { answered[key] = order }

  /// Whether the transaction is an earlier sale that the server has not judged yet.
  func isAnswer(_ key: TransactionKey) -> Bool { answered[key] != nil }

  /// Removes the note of an earlier sale.
  ///
  /// - Returns: the order that the store answered with it.
  func removeAnswer(_ key: TransactionKey) -> OrderIdentifier? { answered.removeValue(forKey: key) }
}
