import Cryptography
import PaymentPrimitives
import StrictJSON

/// One change of a command: the complete new value of one item.
enum WeChatPayChange: Hashable, Sendable {
  case created(WeChatPayOrigin)
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
  /// A notification was created or attempted.
  case notification(SimulatedPaymentNotification)
  /// The clock was moved, or its rate changed.
  case clock(WeChatPayClock)
  case knob(WeChatPayKnob, Int64)
  /// The planned faults from now on: one was added or occurred.
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

/// The values that are fixed when the simulator is created.
struct WeChatPayOrigin: Hashable, Sendable {
  /// The seed of all the platform's keys. They are test keys: only a server that is configured for this simulator
  /// trusts them.
  let testKeySeed: [UInt8]
  let createdAt: Timestamp

  /// 48 bytes: more than the strength of any of its keys.
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
  /// A moment in milliseconds since 1970, as in the log.
  func timestamp(_ name: String) throws(JSONFieldError) -> Timestamp {
    Timestamp(milliseconds: try integer(name))
  }

  /// A moment in milliseconds since 1970; nil when absent.
  func optionalTimestamp(_ name: String) throws(JSONFieldError) -> Timestamp? {
    try optionalInteger(name).map { Timestamp(milliseconds: $0) }
  }
}
