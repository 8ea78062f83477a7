import PaymentPrimitives

/// Reads records of RFC 4180 from pieces of bytes, in bounded memory. Only one record is in memory at a time, and a bad
/// record does not affect the others.
struct CSVReader {
  /// A record, or the problem of the line.
  struct Entry {
    /// The line on which it begins, from 1.
    let line: Int
    let fields: [String]
    let problem: BilingualText?
  }

  /// The longest field in bytes: a user's id has up to 255.
  static let fieldBytesMax = 1024
  /// The most fields of a record: a wide export of a whole table.
  static let fieldsMax = 256

  private enum Place { case start, plain, quoted, closed, skipping }

  private let more: () throws -> [UInt8]
  private var piece: ArraySlice<UInt8> = []
  private var line = 1
  private var hasBegun = false

  /// - Parameter more: the next bytes of the file; empty at its end.
  init(_ more: @escaping () throws -> [UInt8]) { self.more = more }

  /// The next record that is not empty; nil at the end.
  mutating func next() throws -> Entry? {
    if !hasBegun {
      hasBegun = true
      try skipByteOrderMark()
    }
    while let entry = try record() {
      guard entry.problem == nil, entry.fields.allSatisfy(\.isEmpty), entry.fields.count <= 1 else { return entry }
    }
    return nil
  }

  private mutating func skipByteOrderMark() throws {
    while piece.count < 3 {
      let bytes = try more()
      if bytes.isEmpty { break }
      piece += bytes
    }
    if piece.starts(with: [0xEF, 0xBB, 0xBF]) { piece = piece.dropFirst(3) }
  }

  private mutating func take() throws -> UInt8? {
    if piece.isEmpty { piece = try more()[...] }
    return piece.popFirst()
  }

  private mutating func record() throws -> Entry? {
    guard var byte = try take() else { return nil }
    let first = line
    var fields: [String] = []
    var field: [UInt8] = []
    var place = Place.start
    var problem: BilingualText?
    func fail(_ english: String, _ chinese: String) {
      problem = problem ?? BilingualText(english, chinese)
      place = .skipping
    }
    func endField() {
      guard place != .skipping else { return }
      // A Windows file ends its lines with both characters.
      if place == .plain, field.last == 0x0D, byte == 0x0A { field.removeLast() }
      guard let text = String(validating: field, as: UTF8.self), !text.utf8.contains(0) else {
        return fail("it is not UTF-8 text.", "不是 UTF-8 文本。")
      }
      guard fields.count < Self.fieldsMax else { return fail("it has too many fields.", "字段过多。") }
      fields.append(text)
      field = []
      place = .start
    }
    while true {
      switch (byte, place) {
      case (0x0A, .quoted):
        line += 1
        field.append(byte)
      case (0x0A, _):
        line += 1
        endField()
        return Entry(line: first, fields: fields, problem: problem)
      case (_, .skipping): break
      case (0x2C, .start), (0x2C, .plain), (0x2C, .closed): endField()
      case (0x22, .start): place = .quoted
      case (0x22, .quoted): place = .closed
      case (0x22, .closed):
        field.append(byte)
        place = .quoted
      case (0x22, .plain): fail("a quotation mark stands inside a field.", "字段中间有引号。")
      case (0x0D, .closed): break
      case (_, .closed): fail("something follows a closing quotation mark.", "结束引号之后还有内容。")
      case (_, .start), (_, .plain):
        place = .plain
        field.append(byte)
      case (_, .quoted): field.append(byte)
      }
      if field.count > Self.fieldBytesMax { fail("a field is too long.", "字段过长。") }
      guard let following = try take() else { break }
      byte = following
    }
    if place == .quoted { fail("a quotation mark is never closed.", "引号没有闭合。") }
    byte = 0x0A
    endField()
    return Entry(line: first, fields: fields, problem: problem)
  }
}
