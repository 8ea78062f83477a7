package import SimulatorCore
package import StrictJSON

/// One line of the log: all changes of one command. A command takes effect completely or not at all, because one line
/// holds all its changes.
package struct WeChatPayRecord: LogRecord, Hashable {
  package typealias Behaviour = WeChatPayBehaviour

  package static let bytesMax = WeChatPaySimulatorLimits.recordBytesMax
  /// Maximum changes of one record: a payment changes order, notification and faults.
  private static let changesMax = 8

  package let number: Int
  let changes: [WeChatPayChange]

  package var members: [(String, JSONValue?)] { [("changes", .array(changes.map(\.json)))] }

  package var tornLinesDropped: Int? {
    if changes.count == 1, case .tornLinesDropped(let count) = changes[0] { count } else { nil }
  }

  init(number: Int, changes: [WeChatPayChange]) {
    self.number = number
    self.changes = changes
  }

  /// The record of the creation also holds the first certificate.
  package init(number: Int, _ change: SharedChange<WeChatPayBehaviour>) {
    let changes: [WeChatPayChange]
    switch change {
    case .created(let origin):
      var policy = PlatformKeyPolicy()
      policy.certificatesIssued = [origin.createdAt]
      changes = [.created(origin), .keys(policy)]
    case .tornLinesDropped(let count): changes = [.tornLinesDropped(count)]
    case .clockSet(let clock): changes = [.clock(clock)]
    case .behaviourSet(let behaviour, let value): changes = [.behaviour(behaviour, value)]
    }
    self.init(number: number, changes: changes)
  }

  package init(number: Int, _ fields: JSONFields) throws(JSONFieldError) {
    self.number = number
    var changes: [WeChatPayChange] = []
    for item in try fields.array("changes", countMax: Self.changesMax) {
      changes.append(try WeChatPayChange(JSONFields(item, path: "changes")))
    }
    self.changes = changes
  }
}
