/// Reads JSON (RFC 8259) strictly: one value, UTF-8, no duplicate names, within limits, errors with their place.
///
/// Foundation's decoder is not used for untrusted text. It accepts duplicate names: the last one wins there, the first
/// one elsewhere, so two readers of one signed text would see two different texts. It also has no limit that we can
/// set. `Tests/StrictJSONTests/JSONReaderTests.swift` shows that. This reader is also the hot path of every
/// verification.
public enum JSONReader {
  /// The value of a JSON text.
  ///
  /// - Throws: `JSONError` with the reason and place.
  public static func read(
    _ bytes: some Sequence<UInt8>, limits: JSONLimits = .usual
  ) throws(JSONError) -> JSONValue {
    if let result = bytes.withContiguousStorageIfAvailable({ read($0, limits) }) {
      return try result.get()
    }
    return try Array(bytes).withUnsafeBufferPointer { read($0, limits) }.get()
  }

  /// The value of a JSON text that is already in memory.
  private static func read(
    _ bytes: UnsafeBufferPointer<UInt8>, _ limits: JSONLimits
  ) -> Result<JSONValue, JSONError> {
    guard bytes.count <= limits.bytesMax else {
      return .failure(JSONError(.tooLarge, offset: limits.bytesMax, in: bytes))
    }
    var scanner = JSONScanner(bytes: bytes, limits: limits)
    do throws(JSONScanner.Failure) {
      let value = try scanner.value(depth: 1)
      scanner.skipWhitespace()
      guard scanner.position == bytes.count else { throw .init(.trailingText, scanner.position) }
      return .success(value)
    } catch {
      return .failure(JSONError(error.reason, offset: error.offset, in: bytes))
    }
  }
}

/// One pass over the bytes; each function leaves `position` after what it read.
struct JSONScanner {
  struct Failure: Error {
    let reason: JSONError.Reason
    let offset: Int

    init(_ reason: JSONError.Reason, _ offset: Int) {
      self.reason = reason
      self.offset = offset
    }
  }

  let bytes: UnsafeBufferPointer<UInt8>
  let limits: JSONLimits
  var position = 0
  private var values = 0

  init(bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits) {
    self.bytes = bytes
    self.limits = limits
  }

  mutating func skipWhitespace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  private mutating func next() throws(Failure) -> UInt8 {
    skipWhitespace()
    guard position < bytes.count else { throw Failure(.unexpectedEnd, position) }
    return bytes[position]
  }

  mutating func value(depth: Int) throws(Failure) -> JSONValue {
    let first = try next()
    guard depth <= limits.depthMax else { throw Failure(.tooDeep, position) }
    values += 1
    guard values <= limits.valuesMax else { throw Failure(.tooManyValues, position) }
    switch first {
    case 0x7B: return try object(depth: depth)
    case 0x5B: return try array(depth: depth)
    case 0x22: return .string(try string())
    case 0x2D, 0x30...0x39: return .number(try number())
    case 0x74: return try literal("true", .bool(true))
    case 0x66: return try literal("false", .bool(false))
    case 0x6E: return try literal("null", .null)
    default: throw Failure(.unexpectedCharacter, position)
    }
  }

  private mutating func literal(
    _ word: StaticString, _ value: JSONValue
  ) throws(Failure) -> JSONValue {
    for index in 0..<word.utf8CodeUnitCount {
      guard position < bytes.count else { throw Failure(.unexpectedEnd, position) }
      guard bytes[position] == word.utf8Start[index] else {
        throw Failure(.unexpectedCharacter, position)
      }
      position += 1
    }
    return value
  }

  private mutating func array(depth: Int) throws(Failure) -> JSONValue {
    position += 1
    var items: [JSONValue] = []
    if try next() == 0x5D {
      position += 1
      return .array(items)
    }
    while true {
      items.append(try value(depth: depth + 1))
      switch try next() {
      case 0x2C: position += 1
      case 0x5D:
        position += 1
        return .array(items)
      default: throw Failure(.unexpectedCharacter, position)
      }
    }
  }

  private mutating func object(depth: Int) throws(Failure) -> JSONValue {
    position += 1
    var members: [JSONMember] = []
    var seen = SeenNames()
    if try next() == 0x7D {
      position += 1
      return .object(members)
    }
    while true {
      guard try next() == 0x22 else { throw Failure(.unexpectedCharacter, position) }
      let start = position
      let name = try string()
      guard seen.insert(name, among: members) else { throw Failure(.doubledName, start) }
      guard try next() == 0x3A else { throw Failure(.unexpectedCharacter, position) }
      position += 1
      members.append(JSONMember(name, try value(depth: depth + 1)))
      switch try next() {
      case 0x2C: position += 1
      case 0x7D:
        position += 1
        return .object(members)
      default: throw Failure(.unexpectedCharacter, position)
      }
    }
  }
}

/// Detects a duplicate name: by comparing the few members of a usual object, by a set in a large one.
///
/// Names are compared as bytes: two names that differ only in Unicode normalisation are two names.
private struct SeenNames {
  /// Length and ends of each name: nearly every pair of different names differs here.
  private var marks: [UInt64] = []
  private var large: Set<[UInt8]>?

  mutating func insert(_ name: String, among members: [JSONMember]) -> Bool {
    if large != nil { return large?.insert(Array(name.utf8)).inserted ?? false }
    if members.count < 32 {
      let mark = Self.mark(name)
      for (index, other) in marks.enumerated()
      where other == mark && members[index].name.utf8.elementsEqual(name.utf8) { return false }
      marks.append(mark)
      return true
    }
    var names = Set(members.map { Array($0.name.utf8) })
    let isNew = names.insert(Array(name.utf8)).inserted
    large = names
    return isNew
  }

  private static func mark(_ name: String) -> UInt64 {
    var name = name
    return name.withUTF8 { bytes in
      var mark = UInt64(truncatingIfNeeded: bytes.count)
      for byte in bytes.prefix(4) { mark = mark << 8 | UInt64(byte) }
      for byte in bytes.suffix(3) { mark = mark << 8 | UInt64(byte) }
      return mark
    }
  }
}
