import Cryptography
import PaymentPrimitives
import StrictJSON

/// One line of the log: strict JSON with its version, its number, the event, and the faults that occurred.
struct SimulatorRecord: Hashable, Sendable {
  /// The version of the record format. A simulator reads its own and earlier versions.
  static let version: Int64 = 1

  /// Counts from 1, without a gap.
  let number: Int
  let event: SimulatorEvent
  /// The faults that occurred; the counter of each goes down by one.
  let spent: [SimulatorKnob]

  var line: [UInt8] {
    let (word, data) = event.wordAndData
    return JSONValue.members([
      ("v", .integer(Self.version)), ("n", .integer(number)), ("event", .string(word)),
      ("data", .members(data)),
      ("spent", spent.isEmpty ? nil : .array(spent.map { .string($0.rawValue) })),
    ]).bytes
  }

  /// Why a line is not a record.
  enum Problem: Error, Equatable {
    /// Not JSON: a kill may have torn it.
    case torn
    /// A record of a later version.
    case version
    /// JSON, but not a record: the log was changed by hand.
    case form(String)
  }

  init(number: Int, event: SimulatorEvent, spent: [SimulatorKnob]) {
    self.number = number
    self.event = event
    self.spent = spent
  }

  init(line: [UInt8]) throws(Problem) {
    // A torn line can have any length, and foreign text can be longer.
    guard let value = try? JSONReader.read(line, limits: JSONLimits(bytesMax: SimulatorLimits.recordBytesMax)) else {
      throw .torn
    }
    guard let version = value["v"]?.integer, version >= 1 else { throw .form("It states no version.") }
    guard version == Self.version else { throw .version }
    do throws(JSONFieldError) { try self.init(JSONFields(value)) } catch { throw .form("\(error)") }
  }

  private init(_ fields: JSONFields) throws(JSONFieldError) {
    number = Int(try fields.integer("n", in: 1...Int64(1 << 53)))
    event = try SimulatorEvent(
      word: fields.string("event"), JSONFields(fields.value("data") ?? .object([]), path: "data"))
    var spent: [SimulatorKnob] = []
    for name in try fields.strings("spent", countMax: 8) {
      guard let knob = SimulatorKnob(rawValue: name) else {
        throw JSONFieldError(path: "spent", expected: "names of knobs")
      }
      spent.append(knob)
    }
    self.spent = spent
  }
}

extension SimulatorOrigin {
  init(_ fields: JSONFields) throws(JSONFieldError) {
    testKeySeed = try fields.converted("testKeySeed", "\(Self.seedByteCount) bytes in Base64") { text in
      Base64.decode(text).flatMap { $0.count == Self.seedByteCount ? $0 : nil }
    }
    createdAt = try fields.timestamp("createdAt")
  }

  var members: [(String, JSONValue?)] {
    [
      ("testKeySeed", .string(Base64.encode(testKeySeed))),
      ("createdAt", .integer(createdAt.milliseconds)),
    ]
  }
}
