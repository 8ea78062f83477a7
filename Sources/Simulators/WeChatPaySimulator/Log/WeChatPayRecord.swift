import PaymentPrimitives
import StrictJSON

/// One line of the log: strict JSON with its version, its number, and everything that one command changed. A command
/// takes effect whole or not at all, because its changes stand in one line.
struct WeChatPayRecord: Hashable, Sendable {
  /// The version of the form of records.
  static let version: Int64 = 1
  /// Changes of one record: a payment changes order, notification and faults.
  private static let changesMax = 8

  /// From 1 upwards without a gap.
  let number: Int
  let changes: [WeChatPayChange]

  init(number: Int, changes: [WeChatPayChange]) {
    self.number = number
    self.changes = changes
  }

  var line: [UInt8] {
    JSONValue.members([
      ("v", .integer(Self.version)), ("n", .integer(number)), ("changes", .array(changes.map(\.json))),
    ]).bytes
  }

  /// Why a line is no record.
  enum Problem: Error, Equatable {
    /// No JSON at all: a kill may have torn it.
    case torn
    /// A record of a later version.
    case version
    /// JSON, and no record: somebody has been at it.
    case form(String)
  }

  init(line: [UInt8]) throws(Problem) {
    let limits = JSONLimits(bytesMax: WeChatPaySimulatorLimits.recordBytesMax)
    guard let value = try? JSONReader.read(line, limits: limits) else { throw .torn }
    guard let version = value["v"]?.integer, version >= 1 else { throw .form("It states no version.") }
    guard version == Self.version else { throw .version }
    do throws(JSONFieldError) {
      let fields = try JSONFields(value)
      number = Int(try fields.integer("n", in: 1...Int64(1 << 53)))
      var changes: [WeChatPayChange] = []
      for item in try fields.array("changes", countMax: Self.changesMax) {
        changes.append(try WeChatPayChange(JSONFields(item, path: "changes")))
      }
      self.changes = changes
    } catch { throw .form("\(error)") }
  }
}

/// Reads a log from its first line into the state that it tells.
enum WeChatPayReplay {
  /// The state after all readable records, and how many torn lines stand at the end.
  ///
  /// - Throws: `logUnreadable` naming the line; `logTooNew` for records of a later version.
  static func run(
    _ lines: [[UInt8]]
  ) throws(CodedError<WeChatPaySimulatorErrorCode>) -> (state: WeChatPayState, tornLines: Int) {
    var state = WeChatPayState()
    var torn = 0
    for (index, line) in lines.enumerated() {
      guard let record = try record(line, index) else {
        torn += 1
        guard torn <= WeChatPaySimulatorLimits.tornLinesMax else { throw refusal(index, "It is no JSON.") }
        continue
      }
      guard record.number == state.recordCount + 1 else {
        throw refusal(index, "Its number is \(record.number) instead of \(state.recordCount + 1).")
      }
      // Torn lines stand at the end, or right before the record that says so.
      guard torn == 0 || record.changes == [.tornLinesDropped(torn)] else { throw refusal(index - 1, "It is no JSON.") }
      torn = 0
      do throws(WeChatPayState.Inconsistency) { try state.apply(record) } catch {
        throw refusal(index, error.description)
      }
    }
    return (state, torn)
  }

  /// The record of a line; nil for a line that a kill may have torn.
  private static func record(
    _ line: [UInt8], _ index: Int
  ) throws(CodedError<WeChatPaySimulatorErrorCode>) -> WeChatPayRecord? {
    do throws(WeChatPayRecord.Problem) { return try WeChatPayRecord(line: line) } catch {
      switch error {
      case .torn: return nil
      case .version:
        throw CodedError(.logTooNew, "Line \(index + 1) is of another version than \(WeChatPayRecord.version).")
      case .form(let problem): throw refusal(index, problem)
      }
    }
  }

  private static func refusal(_ index: Int, _ problem: String) -> CodedError<WeChatPaySimulatorErrorCode> {
    CodedError(.logUnreadable, "Line \(index + 1): \(problem)")
  }
}
