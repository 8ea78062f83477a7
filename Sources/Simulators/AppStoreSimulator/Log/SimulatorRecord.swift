import SimulatorCore
import StrictJSON

/// One line of the log: the event, and the faults that occurred.
struct SimulatorRecord: LogRecord, Hashable {
  static let bytesMax = SimulatorLimits.recordBytesMax

  let number: Int
  let event: SimulatorEvent
  /// The faults that occurred; the counter of each goes down by one.
  let spent: [SimulatorBehaviour]

  var members: [(String, JSONValue?)] {
    let (word, data) = event.wordAndData
    return [
      ("event", .string(word)), ("data", .members(data)),
      ("spent", spent.isEmpty ? nil : .array(spent.map { .string($0.rawValue) })),
    ]
  }

  var tornLinesDropped: Int? {
    if case .tornLinesDropped(let count) = event { count } else { nil }
  }

  init(number: Int, event: SimulatorEvent, spent: [SimulatorBehaviour]) {
    self.number = number
    self.event = event
    self.spent = spent
  }

  init(number: Int, _ fields: JSONFields) throws(JSONFieldError) {
    self.number = number
    event = try SimulatorEvent(
      word: fields.string("event"), JSONFields(fields.value("data") ?? .object([]), path: "data"))
    var spent: [SimulatorBehaviour] = []
    for name in try fields.strings("spent", countMax: 8) {
      guard let behaviour = SimulatorBehaviour(rawValue: name) else {
        throw JSONFieldError(path: "spent", expected: "names of behaviour settings")
      }
      spent.append(behaviour)
    }
    self.spent = spent
  }
}
