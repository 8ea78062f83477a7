/// Why a JSON text is not accepted, and where.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error.
  public enum Reason: String, Hashable, CaseIterable, Sendable {
    /// More bytes than allowed.
    case tooLarge
    /// More nesting than allowed.
    case tooDeep
    /// More values than allowed.
    case tooManyValues
    /// The same name twice in one object.
    case doubledName
    /// The text ends too early.
    case unexpectedEnd
    /// A character that is not allowed at this place.
    case unexpectedCharacter
    /// Text after the value.
    case trailingText
    /// A number with a leading zero, a lone minus or an empty fraction, or longer than allowed.
    case malformedNumber
    /// A control character, a broken escape or a lone surrogate in a text.
    case malformedString
    /// Bytes that are not UTF-8.
    case notUTF8
    /// The character U+0000 in a text or a name, where it is not allowed.
    case nullCharacter
  }

  /// The kind of error in this text.
  public let reason: Reason
  /// Byte offset of the place, from 0.
  public let offset: Int
  /// Line of the place, from 1.
  public let line: Int
  /// Byte within the line, from 1.
  public let column: Int

  init(_ reason: Reason, offset: Int, in bytes: UnsafeBufferPointer<UInt8>) {
    self.reason = reason
    self.offset = offset
    let before = bytes.prefix(offset)
    self.line = 1 + before.count { $0 == 0x0A }
    self.column = offset - (before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0) + 1
  }

  public var description: String { "\(reason.rawValue) at line \(line), column \(column)" }
}

/// The limits of a JSON text.
public struct JSONLimits: Hashable, Sendable {
  /// Maximum bytes of the whole text.
  public var bytesMax: Int
  /// Maximum levels of nesting; the outermost value is level 1.
  public var depthMax: Int
  /// Maximum number of values, members included. It limits memory, since `[[],[],…]` is cheap to send.
  public var valuesMax: Int
  /// Whether texts and names may contain the character U+0000, which no database keeps.
  public var allowsNullCharacter: Bool

  /// Limits with the given values.
  public init(
    bytesMax: Int, depthMax: Int = 32, valuesMax: Int = 20_000, allowsNullCharacter: Bool = true
  ) {
    self.bytesMax = bytesMax
    self.depthMax = depthMax
    self.valuesMax = valuesMax
    self.allowsNullCharacter = allowsNullCharacter
  }

  /// Limits for request bodies and signed payloads: 1 MiB. Genuine ones stay under 20 kB.
  public static let usual = JSONLimits(bytesMax: 1 << 20)
}
