import SimulatorCore
import StrictJSON

/// One line of the log: all changes of one command. A command takes effect completely or not at all, because one line
/// holds all its changes.
struct WeChatPayRecord: LogRecord, Hashable {
  static let bytesMax = WeChatPaySimulatorLimits.recordBytesMax
  /// Maximum changes of one record: a payment changes order, notification and faults.
  private static let changesMax = 8

  let number: Int
  let changes: [WeChatPayChange]

  var members: [(String, JSONValue?)] { [("changes", .array(changes.map(\.json)))] }

  var tornLinesDropped: Int? {
    if changes.count == 1, case .tornLinesDropped(let count) = changes[0] { count } else { nil }
  }

  init(number: Int, changes: [WeChatPayChange]) {
    self.number = number
    self.changes = changes
  }

  init(number: Int, _ fields: JSONFields) throws(JSONFieldError) {
    self.number = number
    var changes: [WeChatPayChange] = []
    for item in try fields.array("changes", countMax: Self.changesMax) {
      changes.append(try WeChatPayChange(JSONFields(item, path: "changes")))
    }
    self.changes = changes
  }
}
