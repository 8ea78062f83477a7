import PaymentPrimitives
import StrictJSON

/// One line of the log: strict JSON with its version, its number, and all changes of one command. A command takes
/// effect completely or not at all, because one line holds all its changes.
struct WeChatPayRecord: Hashable, Sendable {
  /// The version of the record format.
  static let version: Int64 = 1
  /// Maximum changes of one record: a payment changes order, notification and faults.
  private static let changesMax = 8

  /// Counts from 1, without a gap.
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

  /// Why a line is not a record.
  enum Problem: Error, Equatable {
    /// Not JSON: a kill may have torn it.
    case torn
    /// A record of a later version.
    case version
    /// JSON, but not a record: the log was changed by hand.
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

/// Builds the state from a log, line by line.
enum WeChatPayReplay {
  /// The state after all readable records, and the number of torn lines at the end.
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
      // Torn lines are allowed only at the end, or right before the record that counts them.
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
