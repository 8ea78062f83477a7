package import PaymentPrimitives
import SimulatorCore
package import StrictJSON

/// WeChat Pay's keys, and the choice of signing keys.
package struct PlatformKeyPolicy: Hashable, Sendable {
  /// The kinds of keys that merchants get.
  package enum Mode: String, CaseIterable, Hashable, Sendable {
    /// Both kinds, for merchants in transition.
    case mixed
    /// Only certificates, as old merchants have them.
    case certificates
    /// Only the public key, as new merchants have it: the certificates call answers 404 `RESOURCE_NOT_EXISTS`.
    case publicKey
    /// The certificates have expired: the call answers 403 `NOT_ENOUGH`.
    case certificatesExpired
  }

  /// The signing key, while WeChat Pay moves from one key to another.
  package struct Signing: Hashable, Sendable {
    /// The current key: `publicKey`, or `certificate` and its number.
    package var from: PlatformKeyName
    /// The next key; nil when no move is in progress.
    package var to: PlatformKeyName?
    /// When the move began: its share then grows day by day. Nil when `permille` gives the share.
    package var since: Timestamp?
    /// How many of a thousand signatures use the new key; valid when `since` is nil.
    package var permille: Int64

    /// The share of the new key on the first, second, … day of a move, per thousand.
    static let days: [Int64] = [1, 10, 50, 100, 200, 500, 1000]

    package init(_ key: PlatformKeyName) {
      from = key
      to = nil
      since = nil
      permille = 0
    }

    /// How many of a thousand signatures use the new key at a moment.
    func permille(at now: Timestamp) -> Int64 {
      guard to != nil else { return 0 }
      guard let since else { return permille }
      let day = (now - since).milliseconds / TimeSpan.days(1).milliseconds
      return day < 0 ? 0 : Self.days[Int(min(day, Int64(Self.days.count - 1)))]
    }
  }

  /// The kinds of keys in use.
  package var mode = Mode.mixed
  /// When each platform certificate was issued, in order.
  package internal(set) var certificatesIssued: [Timestamp] = []
  /// Whether there is a second public key, with an id of its own.
  package internal(set) var hasSecondPublicKey = false
  package var notifications = Signing(.publicKey)
  /// The signing key of answers to requests that do not name the public key.
  package var answers = Signing(.certificate(1))

  init() {}
}

/// The name of a platform key: a public key, or a certificate by its number, from 1.
package enum PlatformKeyName: Hashable, Sendable {
  case publicKey
  /// The one that replaces the first.
  case secondPublicKey
  case certificate(Int)

  package var text: String {
    switch self {
    case .publicKey: "publicKey"
    case .secondPublicKey: "publicKey2"
    case .certificate(let number): "certificate\(number)"
    }
  }

  var isPublicKey: Bool { self == .publicKey || self == .secondPublicKey }

  /// The key of that name; nil for any other text.
  package init?(_ text: String) {
    if text == "publicKey" {
      self = .publicKey
    } else if text == "publicKey2" {
      self = .secondPublicKey
    } else {
      guard text.hasPrefix("certificate"), let number = Int(text.dropFirst("certificate".count)),
        (1...WeChatPaySimulatorLimits.certificatesMax).contains(number)
      else { return nil }
      self = .certificate(number)
    }
  }
}

extension PlatformKeyPolicy {
  init(_ fields: JSONFields) throws(JSONFieldError) {
    mode = try fields.converted("mode", "the name of a mode", Mode.init(rawValue:))
    certificatesIssued = []
    for item in try fields.array("certificatesIssued", countMax: WeChatPaySimulatorLimits.certificatesMax) {
      guard let moment = item.integer else {
        throw JSONFieldError(path: "certificatesIssued", expected: "moments in milliseconds")
      }
      certificatesIssued.append(Timestamp(milliseconds: moment))
    }
    hasSecondPublicKey = try fields.optionalBool("hasSecondPublicKey") ?? false
    notifications = try Signing(JSONFields(fields.value("notifications") ?? .null, path: "notifications"))
    answers = try Signing(JSONFields(fields.value("answers") ?? .null, path: "answers"))
  }

  /// The policy as the log and the control API write it.
  package var json: JSONValue {
    .members([
      ("mode", .string(mode.rawValue)),
      ("certificatesIssued", .array(certificatesIssued.map { .integer($0.milliseconds) })),
      ("hasSecondPublicKey", hasSecondPublicKey ? .bool(true) : nil),
      ("notifications", notifications.json), ("answers", answers.json),
    ])
  }

  /// Whether the key exists.
  func has(_ name: PlatformKeyName) -> Bool {
    switch name {
    case .publicKey: true
    case .secondPublicKey: hasSecondPublicKey
    case .certificate(let number): number <= certificatesIssued.count
    }
  }
}

extension PlatformKeyPolicy.Signing {
  init(_ fields: JSONFields) throws(JSONFieldError) {
    let expected = "publicKey, publicKey2, or certificate1, certificate2, …"
    from = try fields.converted("from", expected) { PlatformKeyName($0) }
    to = try fields.optionallyConverted("to", expected) { PlatformKeyName($0) }
    since = try fields.optionalTimestamp("since")
    permille = try fields.optionalInteger("permille", in: 0...1000) ?? 0
  }

  var json: JSONValue {
    .members([
      ("from", .string(from.text)), ("to", to.map { .string($0.text) }),
      ("since", since.map { .integer($0.milliseconds) }), ("permille", permille == 0 ? nil : .integer(permille)),
    ])
  }
}
