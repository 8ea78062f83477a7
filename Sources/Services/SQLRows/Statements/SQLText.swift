/// The text of a statement, or a part of one. Most of it is the same in every dialect; the rest are words that a
/// dialect spells.
package struct SQLText: ExpressibleByStringInterpolation, Sendable {
  fileprivate enum Part {
    case text(String)
    case word(SQLWord)
    case hint(String)
    case listed(String)
  }

  private var parts: [Part]

  package init(stringLiteral text: String) { parts = [.text(text)] }

  package init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [Part] = []

    package init(literalCapacity: Int, interpolationCount: Int) {}

    package mutating func appendLiteral(_ text: String) { parts.append(.text(text)) }

    package mutating func appendInterpolation(_ text: String) { parts.append(.text(text)) }

    package mutating func appendInterpolation(_ text: SQLText) { parts += text.parts }

    /// Names the index of the table before it, for databases whose planner must be told.
    package mutating func appendInterpolation(hint index: String?) {
      if let index { parts.append(.hint(index)) }
    }

    /// The condition of a list of an app environment, whose two values are the next parameters.
    ///
    /// - Parameter alias: the table's.
    package mutating func appendInterpolation(listed alias: String) { parts.append(.listed(alias)) }

    package mutating func appendInterpolation(_ word: SQLWord) { parts.append(.word(word)) }
  }

  func spelled(in dialect: SQLDialect) -> String {
    let text = parts.map { part in
      switch part {
      case .text(let text): text
      case .word(let word): dialect.word(word)
      case .hint(let index): dialect.hint(index)
      case .listed(let alias): dialect.listed(alias)
      }
    }
    return dialect.numbersParameters ? Self.numbered(text.joined()) : text.joined()
  }

  private static func numbered(_ text: String) -> String {
    var bytes: [UInt8] = []
    var (number, isQuoted) = (0, false)
    for byte in text.utf8 {
      if byte == UInt8(ascii: "'") { isQuoted.toggle() }
      guard byte == UInt8(ascii: "?"), !isQuoted else {
        bytes.append(byte)
        continue
      }
      number += 1
      bytes += Array("$\(number)".utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
