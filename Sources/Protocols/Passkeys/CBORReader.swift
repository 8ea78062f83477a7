/// Reads CBOR as authenticators must write it (CTAP 2.1, section 8): definite lengths, each in its shortest form.
///
/// Everything comes from a browser, so size, depth and count are bounded before anything is kept.
package struct CBORReader {
  /// An attestation with a chain of certificates has a few thousand bytes.
  package static let bytesMax = 16 << 10
  /// An attestation is a map in which a map holds a list.
  static let depthMax = 6
  /// Values in one text; an attestation has about twenty.
  static let valuesMax = 256

  package enum Problem: String, Error, CaseIterable, Sendable {
    case tooLarge, tooDeep, tooMany, endsEarly, unsupported, notShortest, keyTwice, notText
  }

  private let input: ArraySlice<UInt8>
  private var position: Int
  private var values = 0

  private init(_ input: ArraySlice<UInt8>) {
    self.input = input
    position = input.startIndex
  }

  /// The first value of these bytes, and what follows it.
  package static func read(
    _ input: ArraySlice<UInt8>
  ) throws(Problem) -> (value: CBORValue, rest: ArraySlice<UInt8>) {
    guard input.count <= bytesMax else { throw .tooLarge }
    var reader = CBORReader(input)
    let value = try reader.value(depth: 0)
    return (value, input[reader.position...])
  }

  private mutating func value(depth: Int) throws(Problem) -> CBORValue {
    guard depth < Self.depthMax else { throw .tooDeep }
    values += 1
    guard values <= Self.valuesMax else { throw .tooMany }
    let head = try byte()
    switch head >> 5 {
    case 0: return .integer(try argument(head))
    case 1: return .integer(-1 - (try argument(head)))
    case 2: return .bytes(Array(try run(of: try argument(head))))
    case 3:
      guard let text = String(validating: try run(of: try argument(head)), as: UTF8.self) else { throw .notText }
      return .text(text)
    case 4:
      var items: [CBORValue] = []
      for _ in 0..<(try count(head)) { items.append(try value(depth: depth + 1)) }
      return .array(items)
    case 5: return try map(of: try count(head), depth: depth)
    case 7:
      switch head & 0x1F {
      case 20: return .bool(false)
      case 21: return .bool(true)
      case 22: return .null
      default: throw .unsupported
      }
    default: throw .unsupported
    }
  }

  private mutating func map(of count: Int, depth: Int) throws(Problem) -> CBORValue {
    var pairs: [CBORValue.Pair] = []
    for _ in 0..<count {
      let key = try value(depth: depth + 1)
      guard !pairs.contains(where: { $0.key == key }) else { throw .keyTwice }
      pairs.append(CBORValue.Pair(key: key, value: try value(depth: depth + 1)))
    }
    return .map(pairs)
  }

  /// How many values a list or map has. Each takes a byte at least, so a larger number than the rest has is refused
  /// before anything is read.
  private mutating func count(_ head: UInt8) throws(Problem) -> Int {
    let count = try argument(head)
    guard count <= Int64(input.endIndex - position) else { throw .endsEarly }
    return Int(count)
  }

  private mutating func run(of length: Int64) throws(Problem) -> ArraySlice<UInt8> {
    guard length <= Int64(input.endIndex - position) else { throw .endsEarly }
    defer { position += Int(length) }
    return input[position..<position + Int(length)]
  }

  /// The number behind the three bits of the kind. Lengths of 2⁶³ and more are too large for anything.
  private mutating func argument(_ head: UInt8) throws(Problem) -> Int64 {
    let short = head & 0x1F
    guard short >= 24 else { return Int64(short) }
    guard short <= 27 else { throw .unsupported }
    let length = 1 << (short - 24)
    var number: UInt64 = 0
    for _ in 0..<length { number = number << 8 | UInt64(try byte()) }
    let least: UInt64 = short == 24 ? 24 : 1 << (UInt64(length) * 4)
    guard number >= least else { throw .notShortest }
    guard let signed = Int64(exactly: number) else { throw .unsupported }
    return signed
  }

  private mutating func byte() throws(Problem) -> UInt8 {
    guard position < input.endIndex else { throw .endsEarly }
    defer { position += 1 }
    return input[position]
  }
}
