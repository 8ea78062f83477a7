/// Cuts Swift, C and C++ into tokens: comments nest in Swift, texts may be raw, span lines and hold code.
///
/// It knows as much of these languages as the rules need. A bare-slash regular expression is found by what stands
/// before it.
struct Tokenizer {
  enum Language { case swift, c }

  private let bytes: [UInt8]
  private let language: Language
  private var position = 0
  private var line = 1
  private var tokens: [Token] = []
  private var endOfPrevious = -1

  /// The tokens of a text, comments among them.
  static func tokens(of text: String, _ language: Language = .swift) -> [Token] {
    var tokenizer = Tokenizer(Array(text.utf8), language)
    tokenizer.run(untilClosed: false)
    return tokenizer.tokens
  }

  private init(_ bytes: [UInt8], _ language: Language) {
    self.bytes = bytes
    self.language = language
  }

  /// Reads to the end, or to the parenthesis that closes an interpolation.
  private mutating func run(untilClosed: Bool) {
    var open = 1
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: "\n"):
        line += 1
        position += 1
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): position += 1
      case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"): lineComment()
      case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"): blockComment()
      case UInt8(ascii: "/") where isRegularExpression: regularExpression()
      case _ where isTextStart: text()
      case UInt8(ascii: "'") where language == .c: character()
      case UInt8(ascii: "`"): rawIdentifier()
      case _ where Self.startsWord(byte): word()
      case _ where Self.isDigit(byte): number()
      default:
        if byte == UInt8(ascii: "(") { open += 1 }
        if byte == UInt8(ascii: ")") { open -= 1 }
        if untilClosed, open == 0 { return }
        add(.punctuation, from: position, to: position + 1)
        position += 1
      }
    }
  }

  private func peek(_ ahead: Int = 0) -> UInt8? {
    position + ahead < bytes.count ? bytes[position + ahead] : nil
  }

  private mutating func add(_ kind: Token.Kind, from start: Int, to end: Int, line first: Int? = nil) {
    add(kind, String(decoding: bytes[start..<end], as: UTF8.self), from: start, to: end, line: first)
  }

  private mutating func add(
    _ kind: Token.Kind, _ text: String, from start: Int, to end: Int, line first: Int? = nil
  ) {
    tokens.append(
      Token(
        kind: kind, text: text, line: first ?? line, endLine: line, touchesPrevious: endOfPrevious == start))
    endOfPrevious = end
  }

  // MARK: comments

  private mutating func lineComment() {
    let start = position
    while let byte = peek(), byte != UInt8(ascii: "\n") { position += 1 }
    let isDocumentation = start + 2 < bytes.count && bytes[start + 2] == UInt8(ascii: "/")
    add(isDocumentation ? .documentation : .comment, from: start, to: position)
  }

  private mutating func blockComment() {
    let start = position
    let first = line
    var depth = 0
    repeat {
      if peek() == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
        depth = language == .swift ? depth + 1 : 1
        position += 2
      } else if peek() == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
        depth -= 1
        position += 2
      } else {
        if peek() == UInt8(ascii: "\n") { line += 1 }
        position += 1
      }
    } while depth > 0 && position < bytes.count
    position = min(position, bytes.count)
    let isDocumentation = start + 2 < bytes.count && bytes[start + 2] == UInt8(ascii: "*") && position - start > 4
    add(isDocumentation ? .documentation : .comment, from: start, to: position, line: first)
  }

  // MARK: words and numbers

  private static func startsWord(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte & 0xDF) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte >= 0x80
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private mutating func word() {
    let start = position
    while let byte = peek(), Self.startsWord(byte) || Self.isDigit(byte) { position += 1 }
    add(.word, from: start, to: position)
  }

  private mutating func rawIdentifier() {
    let start = position + 1
    position += 1
    while let byte = peek(), byte != UInt8(ascii: "`"), byte != UInt8(ascii: "\n") { position += 1 }
    add(.rawIdentifier, from: start, to: position)
    position += 1
  }

  /// Digits, letters and underscores; a point only before a digit, so that `0...9` and `1.description` fall apart.
  private mutating func number() {
    let start = position
    // Of `pair.0.1` both are members.
    let isMember = start > 0 && bytes[start - 1] == UInt8(ascii: ".") && tokens.last?.is(".") == true
    while let byte = peek() {
      if Self.isDigit(byte) || Self.startsWord(byte) {
        position += 1
        let isExponent = byte & 0xDF == UInt8(ascii: "E") && bytes[start] != UInt8(ascii: "0")
        if isExponent, peek() == UInt8(ascii: "-") || peek() == UInt8(ascii: "+") { position += 1 }
      } else if byte == UInt8(ascii: "."), !isMember, let next = peek(1), Self.isDigit(next) {
        position += 1
      } else if byte == UInt8(ascii: "'"), language == .c {
        position += 1
      } else {
        break
      }
    }
    add(.number, from: start, to: position)
  }

  private mutating func character() {
    let start = position + 1
    position += 1
    while let byte = peek(), byte != UInt8(ascii: "'"), byte != UInt8(ascii: "\n") {
      position += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    add(.text, from: start, to: min(position, bytes.count))
    position += 1
  }

  // MARK: texts

  /// A quote, or number signs before one.
  private var isTextStart: Bool {
    var ahead = 0
    while peek(ahead) == UInt8(ascii: "#") { ahead += 1 }
    return peek(ahead) == UInt8(ascii: "\"") && (ahead == 0 || language == .swift)
  }

  private func matches(_ text: [UInt8]) -> Bool {
    position + text.count <= bytes.count && bytes[position..<position + text.count].elementsEqual(text)
  }

  private mutating func text() {
    let start = position
    let first = line
    var signs: [UInt8] = []
    while peek() == UInt8(ascii: "#") {
      signs.append(UInt8(ascii: "#"))
      position += 1
    }
    let three = Array("\"\"\"".utf8)
    let isMultiLine = language == .swift && matches(three)
    let quotes = isMultiLine ? three : [UInt8(ascii: "\"")]
    position += quotes.count
    let escape = [UInt8(ascii: "\\")] + signs
    let place = tokens.count
    var content: [UInt8] = []
    while position < bytes.count, !matches(quotes + signs) {
      if matches(escape + [UInt8(ascii: "(")]), language == .swift {
        position += escape.count + 1
        run(untilClosed: true)
        position += 1
      } else if matches(escape), position + escape.count < bytes.count {
        position += escape.count
        if bytes[position] == UInt8(ascii: "\n") { line += 1 }
        content += [UInt8(ascii: "\\"), bytes[position]]
        position += 1
      } else {
        if bytes[position] == UInt8(ascii: "\n") {
          guard isMultiLine else { break }
          line += 1
        }
        content.append(bytes[position])
        position += 1
      }
    }
    position = min(position + quotes.count + signs.count, bytes.count)
    let literal = Token(
      kind: .text, text: String(decoding: content, as: UTF8.self), line: first, endLine: line,
      touchesPrevious: endOfPrevious == start)
    tokens.insert(literal, at: place)
    endOfPrevious = position
  }

  // MARK: regular expressions

  /// A slash begins a regular expression where an operand is due, and another one closes it on the same line.
  private var isRegularExpression: Bool {
    guard language == .swift, let next = peek(1), next != UInt8(ascii: " "), next != UInt8(ascii: "=") else {
      return false
    }
    if let last = tokens.last(where: { !$0.isComment }) {
      let operandIsDue =
        last.kind == .punctuation ? !")]}?!".contains(last.text) : ["return", "in", "case"].contains(last.text)
      guard operandIsDue else { return false }
    }
    return bytes[(position + 1)...].prefix { $0 != UInt8(ascii: "\n") }.contains(UInt8(ascii: "/"))
  }

  private mutating func regularExpression() {
    let start = position + 1
    position += 1
    while let byte = peek(), byte != UInt8(ascii: "/"), byte != UInt8(ascii: "\n") {
      position += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    position = min(position, bytes.count)
    add(.text, from: start, to: position)
    position += 1
  }
}
