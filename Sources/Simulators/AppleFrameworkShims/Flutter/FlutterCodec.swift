public import Foundation

/// Stand-in for Flutter's class of the same name, written from the documented format of its standard codec, for the
/// types that our messages use. As there, a null in a list or map is an `NSNull`.
public final class FlutterStandardMethodCodec: Sendable {
  private static let shared = FlutterStandardMethodCodec()

  public static func sharedInstance() -> FlutterStandardMethodCodec { shared }

  public func encode(_ call: FlutterMethodCall) -> Data {
    var writer = CodecWriter()
    writer.write(call.method)
    writer.write(call.arguments)
    return Data(writer.bytes)
  }

  public func decodeMethodCall(_ message: Data) -> FlutterMethodCall {
    var reader = CodecReader(message)
    guard let method = reader.read() as? String else { preconditionFailure("the message has no method") }
    return FlutterMethodCall(methodName: method, arguments: reader.read())
  }

  public func encodeSuccessEnvelope(_ result: Any?) -> Data {
    var writer = CodecWriter()
    writer.bytes.append(0)
    writer.write(result)
    return Data(writer.bytes)
  }

  public func encodeErrorEnvelope(_ error: FlutterError) -> Data {
    var writer = CodecWriter()
    writer.bytes.append(1)
    writer.write(error.code)
    writer.write(error.message)
    writer.write(error.details)
    return Data(writer.bytes)
  }

  /// The result; a `FlutterError` for an error.
  public func decodeEnvelope(_ envelope: Data) -> Any? {
    var reader = CodecReader(envelope.dropFirst())
    if envelope.first == 0 { return reader.read() }
    let (code, message) = (reader.read() as? String, reader.read() as? String)
    return FlutterError(code: code ?? "", message: message, details: reader.read())
  }
}

private enum CodecType {
  static let null: UInt8 = 0
  static let yes: UInt8 = 1
  static let no: UInt8 = 2
  static let int32: UInt8 = 3
  static let int64: UInt8 = 4
  static let string: UInt8 = 7
  static let list: UInt8 = 12
  static let map: UInt8 = 13
  /// Sizes from this one on take two more bytes.
  static let longSize: UInt8 = 254
}

private struct CodecWriter {
  var bytes: [UInt8] = []

  mutating func write(_ value: Any?) {
    switch value {
    case nil, is NSNull: bytes.append(CodecType.null)
    case let flag as Bool: bytes.append(flag ? CodecType.yes : CodecType.no)
    case let number as Int:
      // Swift's `Int` crosses Objective-C as a number of 64 bits, and is written as one.
      bytes.append(CodecType.int64)
      withUnsafeBytes(of: Int64(number).littleEndian) { bytes.append(contentsOf: $0) }
    case let text as String:
      bytes.append(CodecType.string)
      write(size: text.utf8.count)
      bytes.append(contentsOf: Array(text.utf8))
    case let list as [Any]:
      bytes.append(CodecType.list)
      write(size: list.count)
      for item in list { write(item) }
    case let map as [String: Any]:
      bytes.append(CodecType.map)
      write(size: map.count)
      for (name, item) in map {
        write(name)
        write(item)
      }
    default: preconditionFailure("the codec does not carry \(type(of: value))")
    }
  }

  private mutating func write(size: Int) {
    precondition(size <= Int(UInt16.max), "no message of ours is that long")
    if size < Int(CodecType.longSize) {
      bytes.append(UInt8(size))
    } else {
      bytes.append(contentsOf: [CodecType.longSize, UInt8(size & 0xFF), UInt8(size >> 8)])
    }
  }
}

private struct CodecReader {
  private var left: [UInt8]

  init(_ data: some Sequence<UInt8>) { left = Array(data) }

  mutating func read() -> Any? {
    switch takeByte() {
    case CodecType.null: return nil
    case CodecType.yes: return true
    case CodecType.no: return false
    case CodecType.int32: return Int(Int32(truncatingIfNeeded: takeNumber(of: 4)))
    case CodecType.int64: return Int(Int64(truncatingIfNeeded: takeNumber(of: 8)))
    case CodecType.string: return String(decoding: take(takeSize()), as: UTF8.self)
    case CodecType.list: return (0..<takeSize()).map { _ in read() ?? NSNull() }
    case CodecType.map:
      var map: [String: Any] = [:]
      for _ in 0..<takeSize() {
        guard let name = read() as? String else { preconditionFailure("no key of ours is another type") }
        map[name] = read() ?? NSNull()
      }
      return map
    case let type: preconditionFailure("the message is corrupted: type \(type)")
    }
  }

  private mutating func take(_ count: Int) -> [UInt8] {
    precondition(count <= left.count, "the message ends too early")
    defer { left.removeFirst(count) }
    return Array(left.prefix(count))
  }

  private mutating func takeByte() -> UInt8 { take(1)[0] }

  private mutating func takeSize() -> Int {
    let size = takeByte()
    return size < CodecType.longSize ? Int(size) : Int(takeNumber(of: 2))
  }

  private mutating func takeNumber(of count: Int) -> UInt64 {
    take(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
