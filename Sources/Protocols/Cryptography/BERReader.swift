/// Reads BER (X.690 §8), the encoding of CMS and receipts, element by element, without recursion and without copies.
///
/// OpenSSL reads certificates and requires DER. Receipts may have indefinite lengths and split strings, and OpenSSL
/// does not know their payload. Everything here is bounded by the given bytes and by `depthMax`. A tag has only one
/// byte, since none of these formats needs more.
package struct BERReader: Sendable {
  /// Maximum nesting; genuine receipts reach 8.
  static let depthMax = 24

  private let bytes: [UInt8]
  private var position: Int
  private let end: Int
  private let depth: Int

  /// A reader over all of these bytes.
  package init(_ bytes: [UInt8]) {
    self.init(bytes, 0..<bytes.count, depth: 0)
  }

  private init(_ bytes: [UInt8], _ range: Range<Int>, depth: Int) {
    self.bytes = bytes
    position = range.lowerBound
    end = range.upperBound
    self.depth = depth
  }

  package var isAtEnd: Bool { position >= end }

  /// Reads the next element.
  ///
  /// - Throws: `BERError.malformed`, also when there is none.
  package mutating func next() throws(BERError) -> BERElement {
    let element = try Self.element(in: bytes, at: position, end: end, depth: depth)
    position = element.whole.upperBound
    return element
  }

  /// Reads the next element, which must have this tag.
  package mutating func next(_ tag: UInt8) throws(BERError) -> BERElement {
    let element = try next()
    guard element.tag == tag else { throw .malformed }
    return element
  }

  /// Reads the next element if it has this tag; otherwise nothing.
  package mutating func next(if tag: UInt8) throws(BERError) -> BERElement? {
    guard position < end, bytes[position] == tag else { return nil }
    return try next()
  }

  /// A reader over the content of an element.
  package func inside(_ element: BERElement) throws(BERError) -> BERReader {
    guard element.isConstructed, depth < Self.depthMax else { throw .malformed }
    return BERReader(bytes, element.content, depth: depth + 1)
  }

  /// The bytes inside an element.
  package func content(of element: BERElement) -> ArraySlice<UInt8> { bytes[element.content] }

  /// The bytes of an element with its tag and length.
  package func whole(of element: BERElement) -> ArraySlice<UInt8> { bytes[element.whole] }

  /// The bytes of an OCTET STRING, in one piece or in several (X.690 §8.7).
  package func octets(of element: BERElement) throws(BERError) -> [UInt8] {
    var octets: [UInt8] = []
    var open: [BERReader] = []
    guard element.tag & ~BERElement.constructed == BERElement.octetString else { throw .malformed }
    if !element.isConstructed { return Array(content(of: element)) }
    open.append(try inside(element))
    while var reader = open.popLast() {
      guard !reader.isAtEnd else { continue }
      let part = try reader.next()
      open.append(reader)
      switch part.tag {
      case BERElement.octetString: octets += content(of: part)
      case BERElement.octetString | BERElement.constructed: open.append(try reader.inside(part))
      default: throw .malformed
      }
    }
    return octets
  }

  /// The element at a position. To measure an indefinite length, it walks to the end. The open lengths are in a list,
  /// so that deep nesting cannot exhaust the stack.
  private static func element(
    in bytes: [UInt8], at start: Int, end: Int, depth: Int
  ) throws(BERError) -> BERElement {
    let head = try self.head(in: bytes, at: start, end: end)
    guard let length = head.length else {
      let close = try endOfContents(in: bytes, from: head.content, end: end, depth: depth)
      return BERElement(tag: head.tag, content: head.content..<close, whole: start..<close + 2)
    }
    let contentEnd = head.content + length
    return BERElement(tag: head.tag, content: head.content..<contentEnd, whole: start..<contentEnd)
  }

  /// The position of the two zero bytes that end an indefinite length.
  private static func endOfContents(
    in bytes: [UInt8], from start: Int, end: Int, depth: Int
  ) throws(BERError) -> Int {
    var position = start
    var open = 1
    while true {
      guard position + 1 < end else { throw .malformed }
      if bytes[position] == 0, bytes[position + 1] == 0 {
        open -= 1
        if open == 0 { return position }
        position += 2
        continue
      }
      let head = try self.head(in: bytes, at: position, end: end)
      if let length = head.length {
        position = head.content + length
      } else {
        open += 1
        guard depth + open <= depthMax else { throw .malformed }
        position = head.content
      }
    }
  }

  /// Tag and length at a position; without a length it is indefinite.
  private static func head(
    in bytes: [UInt8], at start: Int, end: Int
  ) throws(BERError) -> (tag: UInt8, content: Int, length: Int?) {
    guard start >= 0, start + 1 < end, end <= bytes.count else { throw .malformed }
    let tag = bytes[start]
    // Rejects tags of several bytes, and an end-of-contents mark without an open indefinite length.
    guard tag & 0x1F != 0x1F, tag != 0 else { throw .malformed }
    let first = bytes[start + 1]
    var content = start + 2
    if first < 0x80 {
      guard Int(first) <= end - content else { throw .malformed }
      return (tag, content, Int(first))
    }
    if first == 0x80 {
      guard tag & BERElement.constructed != 0 else { throw .malformed }
      return (tag, content, nil)
    }
    let count = Int(first & 0x7F)
    guard count <= 8, count <= end - content else { throw .malformed }
    var length = 0
    for byte in bytes[content..<content + count] {
      guard length < 1 << 32 else { throw .malformed }
      length = length << 8 | Int(byte)
    }
    content += count
    guard length <= end - content else { throw .malformed }
    return (tag, content, length)
  }
}

/// One element of BER: its tag and its position.
package struct BERElement: Hashable, Sendable {
  /// The bit of a tag that marks an element with nested elements.
  package static let constructed: UInt8 = 0x20
  package static let integer: UInt8 = 0x02
  package static let octetString: UInt8 = 0x04
  package static let objectIdentifier: UInt8 = 0x06
  /// UTF8String
  package static let utf8String: UInt8 = 0x0C
  /// IA5String
  package static let ia5String: UInt8 = 0x16
  package static let sequence: UInt8 = 0x30
  package static let set: UInt8 = 0x31

  /// The byte of its type.
  package let tag: UInt8
  let content: Range<Int>
  let whole: Range<Int>

  package var isConstructed: Bool { tag & Self.constructed != 0 }
}

/// Bytes that are not BER of the requested form.
package enum BERError: Error, Hashable, Sendable {
  /// A length beyond the given bytes, a tag of another type, or too deep nesting.
  case malformed
}
