import Cryptography
import PaymentPrimitives
import StrictJSON

/// One thing that a command changed: the thing as it is from then on.
enum WeChatPayChange: Hashable, Sendable {
  case created(WeChatPayOrigin)
  /// So many lines before this one were torn by a kill and say nothing.
  case tornLinesDropped(Int)
  /// A merchant was added or changed.
  case merchant(SimulatedMerchant)
  /// The platform's keys, or which of them sign, were changed.
  case keys(PlatformKeyPolicy)
  /// An order came into being or went on.
  case order(SimulatedOrder)
  /// A refund came into being or went on.
  case refund(SimulatedRefund)
  /// A notification came into being or was tried.
  case notification(SimulatedPaymentNotification)
  /// The clock was moved, or runs at another rate.
  case clock(WeChatPayClock)
  case knob(WeChatPayKnob, Int64)
  /// The faults that are planned from now on: some were added, or one struck.
  case faults([PlannedFault])

  var json: JSONValue {
    let (word, value): (String, JSONValue) =
      switch self {
      case .created(let origin): ("created", origin.json)
      case .tornLinesDropped(let count): ("tornLinesDropped", .integer(count))
      case .merchant(let merchant): ("merchant", merchant.logJSON)
      case .keys(let policy): ("keys", policy.json)
      case .order(let order): ("order", order.json)
      case .refund(let refund): ("refund", refund.json)
      case .notification(let notification): ("notification", notification.logJSON)
      case .clock(let clock): ("clock", clock.json)
      case .knob(let knob, let value):
        ("knob", .members([("name", .string(knob.rawValue)), ("value", .integer(value))]))
      case .faults(let faults): ("faults", .members([("planned", .array(faults.map(\.json)))]))
      }
    return .members([("what", .string(word)), ("is", value)])
  }

  init(_ fields: JSONFields) throws(JSONFieldError) {
    let word = try fields.string("what", bytesMax: 32)
    if word == "tornLinesDropped" {
      self = .tornLinesDropped(
        Int(try fields.integer("is", in: 1...Int64(WeChatPaySimulatorLimits.tornLinesMax))))
      return
    }
    guard let value = try fields.optionalFields("is") else {
      throw JSONFieldError(path: "is", expected: "an object")
    }
    switch word {
    case "created": self = .created(try WeChatPayOrigin(value))
    case "merchant": self = .merchant(try SimulatedMerchant(value))
    case "keys": self = .keys(try PlatformKeyPolicy(value))
    case "order": self = .order(try SimulatedOrder(value))
    case "refund": self = .refund(try SimulatedRefund(value))
    case "notification": self = .notification(try SimulatedPaymentNotification(value))
    case "clock": self = .clock(try WeChatPayClock(value))
    case "knob":
      let knob = try value.converted("name", "the name of a knob", WeChatPayKnob.init(rawValue:))
      self = .knob(knob, try value.integer("value", in: knob.range))
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

/// What is decided once, when the simulator comes into being.
struct WeChatPayOrigin: Hashable, Sendable {
  /// What all the platform's keys are made of. They are made for tests: nobody but a simulator's user trusts them.
  let testKeySeed: [UInt8]
  let createdAt: Timestamp

  /// 48 bytes: more than any of its keys is strong.
  static let seedByteCount = 48

  init(testKeySeed: [UInt8], createdAt: Timestamp) {
    self.testKeySeed = testKeySeed
    self.createdAt = createdAt
  }

  init(_ fields: JSONFields) throws(JSONFieldError) {
    testKeySeed = try fields.converted("testKeySeed", "\(Self.seedByteCount) bytes in Base64") { text in
      Base64.decode(text).flatMap { $0.count == Self.seedByteCount ? $0 : nil }
    }
    createdAt = try fields.timestamp("createdAt")
  }

  var json: JSONValue {
    .members([
      ("testKeySeed", .string(Base64.encode(testKeySeed))), ("createdAt", .integer(createdAt.milliseconds)),
    ])
  }
}

extension JSONFields {
  /// A moment in milliseconds, as the log has it.
  func timestamp(_ name: String) throws(JSONFieldError) -> Timestamp {
    Timestamp(milliseconds: try integer(name))
  }

  /// A moment in milliseconds; nil when absent.
  func optionalTimestamp(_ name: String) throws(JSONFieldError) -> Timestamp? {
    try optionalInteger(name).map { Timestamp(milliseconds: $0) }
  }
}
