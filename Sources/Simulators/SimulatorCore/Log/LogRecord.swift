package import StrictJSON

/// One line of a simulator's log: strict JSON with its version, its number, and what it records.
package protocol LogRecord<Behaviour>: Sendable {
  /// The settings of the simulator.
  associatedtype Behaviour: BehaviourSetting

  /// The maximum bytes of a line.
  static var bytesMax: Int { get }

  /// Counts from 1, without a gap.
  var number: Int { get }
  /// What it records, after version and number.
  var members: [(String, JSONValue?)] { get }
  /// The number of lines before it that a kill made unreadable, if it records that; otherwise nil.
  var tornLinesDropped: Int? { get }

  init(number: Int, _ change: SharedChange<Behaviour>)
  init(number: Int, _ fields: JSONFields) throws(JSONFieldError)
}

/// Why a line is not a record.
package enum LogRecordProblem: Error, Equatable {
  /// Not JSON: a kill may have torn it.
  case torn
  /// A record of a later version.
  case version
  /// JSON, but not a record: the log was changed by hand.
  case form(String)
}

/// The version of the record format. A simulator reads its own and earlier versions.
let logRecordVersion: Int64 = 1

extension LogRecord {
  package var line: [UInt8] {
    JSONValue.members([("v", .integer(logRecordVersion)), ("n", .integer(number))] + members).bytes
  }

  package init(line: [UInt8]) throws(LogRecordProblem) {
    // A torn line can have any length, and foreign text can be longer.
    guard let value = try? JSONReader.read(line, limits: JSONLimits(bytesMax: Self.bytesMax)) else { throw .torn }
    guard let version = value["v"]?.integer, version >= 1 else { throw .form("It states no version.") }
    guard version == logRecordVersion else { throw .version }
    do throws(JSONFieldError) {
      let fields = try JSONFields(value)
      try self.init(number: Int(fields.integer("n", in: 1...Int64(1 << 53))), fields)
    } catch { throw .form("\(error)") }
  }
}
