import PaymentPrimitives
import SimulatorCore
import StrictJSON

/// One change of a command: the complete new value of one item.
enum WeChatPayChange: Hashable, Sendable {
  case created(SimulatorOrigin)
  /// The number of lines before this one that a kill made unreadable.
  case tornLinesDropped(Int)
  /// A merchant was added or changed.
  case merchant(SimulatedMerchant)
  /// The platform's keys, or the choice of signing keys, changed.
  case keys(PlatformKeyPolicy)
  /// An order was created or changed.
  case order(SimulatedOrder)
  /// A refund was created or changed.
  case refund(SimulatedRefund)
  /// A customer complained, or something happened to a complaint.
  case complaint(SimulatedComplaint)
  /// A merchant paid money into an account, or withdrew it.
  case transfer(FundTransfer)
  /// A notification was created or attempted.
  case notification(SimulatedPaymentNotification)
  /// The clock was moved, or its rate changed.
  case clock(SimulatorClock)
  case behaviour(WeChatPayBehaviour, Int64)
  /// The planned faults from now on: one was added or occurred.
  case faults([PlannedFault])

  var json: JSONValue {
    let (word, value): (String, JSONValue) =
      switch self {
      case .created(let origin): ("created", .members(origin.members))
      case .tornLinesDropped(let count): ("tornLinesDropped", .integer(count))
      case .merchant(let merchant): ("merchant", merchant.logJSON)
      case .keys(let policy): ("keys", policy.json)
      case .order(let order): ("order", order.json)
      case .refund(let refund): ("refund", refund.json)
      case .complaint(let complaint): ("complaint", complaint.json)
      case .transfer(let transfer): ("transfer", transfer.json)
      case .notification(let notification): ("notification", notification.logJSON)
      case .clock(let clock): ("clock", .members(clock.members))
      case .behaviour(let behaviour, let value):
        ("knob", .members([("name", .string(behaviour.rawValue)), ("value", .integer(value))]))
      case .faults(let faults): ("faults", .members([("planned", .array(faults.map(\.json)))]))
      }
    return .members([("what", .string(word)), ("is", value)])
  }

  init(_ fields: JSONFields) throws(JSONFieldError) {
    let word = try fields.string("what", bytesMax: 32)
    if word == "tornLinesDropped" {
      self = .tornLinesDropped(
        Int(try fields.integer("is", in: 1...Int64(LogReplay.tornLinesMax))))
      return
    }
    guard let value = try fields.optionalFields("is") else {
      throw JSONFieldError(path: "is", expected: "an object")
    }
    switch word {
    case "created": self = .created(try SimulatorOrigin(value))
    case "merchant": self = .merchant(try SimulatedMerchant(value))
    case "keys": self = .keys(try PlatformKeyPolicy(value))
    case "order": self = .order(try SimulatedOrder(value))
    case "refund": self = .refund(try SimulatedRefund(value))
    case "complaint": self = .complaint(try SimulatedComplaint(value))
    case "transfer": self = .transfer(try FundTransfer(value))
    case "notification": self = .notification(try SimulatedPaymentNotification(value))
    case "clock": self = .clock(try SimulatorClock(value))
    case "knob":
      let behaviour = try value.converted("name", "the name of a behaviour setting", WeChatPayBehaviour.init(rawValue:))
      self = .behaviour(behaviour, try value.integer("value", in: behaviour.range))
    case "faults":
      var faults: [PlannedFault] = []
      for item in try value.array("planned", countMax: WeChatPaySimulatorLimits.plannedFaultsMax) {
        faults.append(try PlannedFault(JSONFields(item, path: "planned")))
      }
      self = .faults(faults)
    default: throw JSONFieldError(path: "what", expected: "the name of a change")
    }
  }
}
