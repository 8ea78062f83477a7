package import SimulatorCore
package import StrictJSON

/// One line of the log: the event, and the faults that occurred.
package struct SimulatorRecord: LogRecord, Hashable {
  package typealias Behaviour = SimulatorBehaviour

  package static let bytesMax = SimulatorLimits.recordBytesMax

  package let number: Int
  let event: SimulatorEvent
  /// The faults that occurred; the counter of each goes down by one.
  let spent: [SimulatorBehaviour]

  package var members: [(String, JSONValue?)] {
    let (word, data) = event.wordAndData
    return [
      ("event", .string(word)), ("data", .members(data)),
      ("spent", spent.isEmpty ? nil : .array(spent.map { .string($0.rawValue) })),
    ]
  }

  package var tornLinesDropped: Int? {
    if case .tornLinesDropped(let count) = event { count } else { nil }
  }

  init(number: Int, event: SimulatorEvent, spent: [SimulatorBehaviour]) {
    self.number = number
    self.event = event
    self.spent = spent
  }

  package init(number: Int, _ change: SharedChange<SimulatorBehaviour>) {
    let event: SimulatorEvent =
      switch change {
      case .created(let origin): .created(origin)
      case .tornLinesDropped(let count): .tornLinesDropped(count)
      case .clockSet(let clock): .clockSet(clock)
      case .behaviourSet(let behaviour, let value): .behaviourSet(behaviour, value)
      }
    self.init(number: number, event: event, spent: [])
  }

  package init(number: Int, _ fields: JSONFields) throws(JSONFieldError) {
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
