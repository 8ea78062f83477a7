import Cryptography
import PaymentPrimitives

/// Collects rows into the parts of an export, and writes each part at once.
struct ExportWriter {
  private let folder: ExportFolder
  private let format: ExportFormat
  private let limits: ExportLimits
  private(set) var files: [ExportManifest.File] = []
  private var kind = ExportKind.orders
  private var number = 0
  private var bytes: [UInt8] = []
  private var rows: Int64 = 0
  /// Nil for a sum that left 64 bits.
  private var sums: [String: Int64?] = [:]

  init(into folder: ExportFolder, as format: ExportFormat, _ limits: ExportLimits) {
    self.folder = folder
    self.format = format
    self.limits = limits
  }

  mutating func begin(_ kind: ExportKind) {
    self.kind = kind
    number = 0
    beginPart()
  }

  mutating func add(_ row: ExportRow) throws {
    if rows >= limits.rowsMax || bytes.count >= limits.bytesMax {
      try endPart()
      beginPart()
    }
    bytes += row.bytes(of: kind, as: format)
    rows += 1
    guard let amount = row.amount else { return }
    let before: Int64? = sums[amount.unit] ?? 0
    let after = before.flatMap { before -> Int64? in
      let (sum, overflow) = before.addingReportingOverflow(amount.value)
      return overflow ? nil : sum
    }
    sums.updateValue(after, forKey: amount.unit)
  }

  /// A kind without rows has one part too: so it says that there are none.
  mutating func endPart() throws {
    let name = ExportFolder.part(number, of: kind, as: format)
    try folder.write(name, bytes)
    files.append(
      ExportManifest.File(
        name: name, kind: kind.rawValue, rows: rows, bytes: Int64(bytes.count),
        sha256: SHA256.hash(bytes).hexadecimal, sums: sums.compactMapValues(\.self)))
  }

  private mutating func beginPart() {
    number += 1
    rows = 0
    sums = [:]
    bytes = format == .csv ? CSVTable.mark + CSVTable.line(kind.columns) : []
  }
}
