import AppStoreIntegration
import CounterfoilAPI
import PaymentEngine
import PaymentPrimitives

/// The content of a file of the earlier system, row by row: ids, or owners of purchases. Each row is checked exactly;
/// an id that a spreadsheet has rounded is invalid.
struct ImportedRows {
  enum Kind: String {
    /// Transactions that the earlier system delivered.
    case delivered
    case purchases
  }

  /// A row, or the problem with it.
  enum Row {
    case purchase(line: Int, EarlierPurchase)
    case delivered(line: Int, TransactionIdentifier)
    case bad(line: Int, BilingualText)
  }

  private enum Column: String, CaseIterable {
    case transactionId, originalTransactionId, userId, productId

    /// Column names match in any spelling: `transaction_id`, `Transaction ID`.
    static func plain(_ name: String) -> String {
      String(name.lowercased().filter { $0.isLetter || $0.isNumber })
    }
  }

  let kind: Kind
  /// The column of the ids, if the team names it.
  let column: String?
  private var reader: CSVReader
  private var places: [Column: Int] = [:]
  private var pending: CSVReader.Entry?

  /// Reads the header of a file.
  ///
  /// - Throws: `CommandFailure` if a column is missing.
  init(_ kind: Kind, column: String?, _ pieces: FilePieces, language: Language) throws {
    self.kind = kind
    self.column = column
    reader = CSVReader(pieces.next)
    pending = try reader.next()
    guard let head = pending, head.problem == nil else { return }
    let names = head.fields.map(Column.plain)
    for known in Column.allCases {
      let wanted = known == .transactionId ? column ?? known.rawValue : known.rawValue
      places[known] = names.firstIndex(of: Column.plain(wanted))
    }
    if places[.transactionId] != nil {
      pending = nil
    } else if kind == .delivered, column == nil {
      // One id per line, without a header.
      places = [.transactionId: 0]
    }
    let needed: [Column] = kind == .delivered ? [.transactionId] : [.transactionId, .userId]
    let missing = needed.filter { places[$0] == nil }.map { $0 == .transactionId ? column ?? $0.rawValue : $0.rawValue }
    guard missing.isEmpty else {
      let words = BilingualText(
        "its first line names no column \(missing.joined(separator: ", ")).",
        "首行缺少列 \(missing.joined(separator: "、"))。")
      throw CommandFailure(words[language], code: ExitCode.usage)
    }
  }

  /// The next row; nil at the end.
  mutating func next() throws -> Row? {
    let first = pending
    pending = nil
    guard let entry = try first ?? reader.next() else { return nil }
    if let problem = entry.problem { return .bad(line: entry.line, problem) }
    guard let transaction = identifier(.transactionId, entry) else {
      return .bad(line: entry.line, Self.noIdentifier(field(.transactionId, entry)))
    }
    guard kind == .purchases else { return .delivered(line: entry.line, transaction) }
    let user = field(.userId, entry)
    guard ContractLimits.isUserIdentifier(user) else {
      return .bad(line: entry.line, BilingualText("it names no user.", "没有用户标识。"))
    }
    var purchase = EarlierPurchase(transaction: transaction, user: UserIdentifier(user))
    if !field(.originalTransactionId, entry).isEmpty {
      guard let original = identifier(.originalTransactionId, entry) else {
        return .bad(line: entry.line, Self.noIdentifier(field(.originalTransactionId, entry)))
      }
      purchase.originalTransaction = original
    }
    let product = field(.productId, entry)
    guard product.utf8.count <= 255 else {
      return .bad(line: entry.line, BilingualText("its product id is too long.", "商品标识过长。"))
    }
    purchase.product = product.isEmpty ? nil : StoreProductIdentifier(product)
    return .purchase(line: entry.line, purchase)
  }

  private func field(_ column: Column, _ entry: CSVReader.Entry) -> String {
    guard let place = places[column], entry.fields.indices.contains(place) else { return "" }
    return entry.fields[place]
  }

  /// Apple's transaction ids are whole numbers that fit 64 bits, without a sign, space or leading zero.
  private func identifier(_ column: Column, _ entry: CSVReader.Entry) -> TransactionIdentifier? {
    let text = field(column, entry)
    let isNumber = text.utf8.allSatisfy { (0x30...0x39).contains($0) } && !text.hasPrefix("0")
    guard isNumber, UInt64(text) != nil else { return nil }
    return TransactionIdentifier(text)
  }

  private static func noIdentifier(_ text: String) -> BilingualText {
    let shown = text.unicodeScalars.prefix(30).map { $0.value >= 0x20 ? String($0) : "?" }.joined()
    guard text.lowercased().contains("e+") || text.contains(".") else {
      return BilingualText("\"\(shown)\" is no transaction id.", "“\(shown)”不是交易标识。")
    }
    return BilingualText(
      "\"\(shown)\" was rounded by a spreadsheet: export the ids as text.",
      "“\(shown)”已被电子表格舍入：请以文本格式导出。")
  }
}
