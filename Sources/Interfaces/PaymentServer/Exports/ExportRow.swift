import PaymentPrimitives
import StrictJSON

/// One value of a row.
enum ExportCell: Hashable, Sendable {
  case missing
  case text(String)
  case integer(Int64)

  static func optional(_ text: String?) -> ExportCell { text.map { .text($0) } ?? .missing }

  static func number(_ number: Int64?) -> ExportCell { number.map { .integer($0) } ?? .missing }

  static func moment(_ moment: Timestamp?) -> ExportCell { optional(moment?.iso8601) }

  /// An amount as people read it: `6.00`.
  static func decimal(_ amount: Int64, digits: Int) -> ExportCell {
    guard digits > 0 else { return .text("\(amount)") }
    let number = "\(amount.magnitude)"
    let padded = String(repeating: "0", count: max(0, digits + 1 - number.utf8.count)) + number
    return .text("\(amount < 0 ? "-" : "")\(padded.dropLast(digits)).\(padded.suffix(digits))")
  }

  /// The same of thousandths: three decimals would look like thousands where a comma divides the decimals.
  static func decimal(milliunits: Int64) -> ExportCell {
    milliunits % 10 == 0 ? decimal(milliunits / 10, digits: 2) : decimal(milliunits, digits: 3)
  }

  var csv: String {
    switch self {
    case .missing: ""
    case .text(let text): text
    case .integer(let number): "\(number)"
    }
  }

  var json: JSONValue? {
    switch self {
    case .missing: nil
    case .text(let text): .string(text)
    case .integer(let number): .integer(number)
    }
  }
}

/// A row, and what of it counts in the sums of its file.
struct ExportRow: Sendable {
  let cells: [ExportCell]
  /// The currency or the unit, and the amount in it; nil for a row without an amount.
  let amount: (unit: String, value: Int64)?

  /// - Parameter parts: the cells in order, some at a time.
  init(_ parts: [[ExportCell]], amount: (unit: String, value: Int64)? = nil) {
    cells = Array(parts.joined())
    self.amount = amount
  }

  func bytes(of kind: ExportKind, as format: ExportFormat) -> [UInt8] {
    switch format {
    case .csv: CSVTable.line(cells.map(\.csv))
    case .jsonl: JSONValue.members(Array(zip(kind.columns, cells.map(\.json)))).bytes + [0x0A]
    }
  }
}
