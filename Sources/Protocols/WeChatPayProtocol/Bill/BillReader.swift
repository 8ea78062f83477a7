import PaymentPrimitives

/// Splits a bill into lines and fields. WeChat Pay's bills are not CSV: there are no quotes. Each field begins with a
/// backtick, and only a comma before a backtick separates two fields.
struct BillReader {
  private let bytes: [UInt8]
  private var position: Int
  /// The number of the last read line, from 1.
  private(set) var lineNumber = 0
  /// The names of the summary, found while reading the next row.
  private var summaryNames: [String]?

  /// The maximum length of a line. A line has 29 fields; the longest ones have some hundred characters.
  static let lineBytesMax = 16 << 10
  static let columnsMax = 64

  init(_ file: [UInt8]) {
    bytes = file
    position = file.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  /// The next line without its line end; nil at the end of the file.
  private mutating func line() throws(CodedError<BillErrorCode>) -> ArraySlice<UInt8>? {
    guard position < bytes.count else { return nil }
    lineNumber += 1
    let rest = bytes[position...].prefix(Self.lineBytesMax)
    guard let end = rest.firstIndex(of: 0x0A) ?? (rest.endIndex == bytes.count ? bytes.count : nil) else {
      throw CodedError(.malformedLine, "Line \(lineNumber) has more than \(Self.lineBytesMax) bytes.")
    }
    let line = bytes[position..<end]
    position = min(end + 1, bytes.count)
    return line.last == 0x0D ? line.dropLast() : line
  }

  private func text(_ bytes: ArraySlice<UInt8>) throws(CodedError<BillErrorCode>) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.utf8.elementsEqual(bytes) else { throw CodedError(.malformedLine, "Line \(lineNumber) is not UTF-8.") }
    return text
  }

  /// The column names; full-width and ASCII parentheses count as the same.
  mutating func header() throws(CodedError<BillErrorCode>) -> [String] {
    guard let line = try line(), !line.isEmpty, line.first != 0x60 else {
      throw CodedError(.malformedHeader, "It does not begin with the names of its columns.")
    }
    return try names(line)
  }

  private func names(_ line: ArraySlice<UInt8>) throws(CodedError<BillErrorCode>) -> [String] {
    let names = try text(line).split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard names.count <= Self.columnsMax else {
      throw CodedError(.malformedHeader, "It has more than \(Self.columnsMax) columns.")
    }
    return names
  }

  /// The fields of the next row; nil after the names of the summary.
  mutating func row(columnCount: Int) throws(CodedError<BillErrorCode>) -> [String]? {
    guard let line = try line() else { throw CodedError(.incomplete, "It ends without a summary.") }
    guard line.first == 0x60 else {
      summaryNames = try names(line)
      return nil
    }
    return try fields(line, columnCount)
  }

  private func fields(_ line: ArraySlice<UInt8>, _ count: Int) throws(CodedError<BillErrorCode>) -> [String] {
    var fields: [String] = []
    var start = line.startIndex + 1
    var index = start
    while index < line.endIndex {
      if line[index] == 0x2C, index + 1 < line.endIndex, line[index + 1] == 0x60 {
        fields.append(try text(line[start..<index]))
        start = index + 2
        index = start
      } else {
        index += 1
      }
    }
    fields.append(try text(line[start...]))
    guard fields.count == count else {
      throw CodedError(.malformedLine, "Line \(lineNumber) has \(fields.count) fields instead of \(count).")
    }
    return fields
  }

  /// The names and values of the summary. Only empty lines may follow it.
  mutating func summary() throws(CodedError<BillErrorCode>) -> [TradeBillRow.Other] {
    guard let names = summaryNames, let line = try line(), line.first == 0x60 else {
      throw CodedError(.incomplete, "Its summary has no values.")
    }
    let values = try fields(line, names.count)
    while let rest = try self.line() {
      guard rest.isEmpty else { throw CodedError(.malformedLine, "Line \(lineNumber) follows the summary.") }
    }
    return zip(names, values).map { TradeBillRow.Other(name: $0, value: $1) }
  }
}
