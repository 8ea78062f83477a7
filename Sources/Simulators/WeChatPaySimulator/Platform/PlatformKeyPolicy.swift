package import PaymentPrimitives
package import StrictJSON

/// Which keys WeChat Pay has, and which of them signs what.
package struct PlatformKeyPolicy: Hashable, Sendable {
  /// Which kinds of keys merchants are served with.
  package enum Mode: String, CaseIterable, Hashable, Sendable {
    /// Both, as merchants have it who are changing over.
    case mixed
    /// Certificates alone, as old merchants have it.
    case certificates
    /// The public key alone, as new merchants have it: the certificates are answered 404 `RESOURCE_NOT_EXISTS`.
    case publicKey
    /// The certificates have run out: they are answered 403 `NOT_ENOUGH`.
    case certificatesExpired
  }

  /// Which key signs, while WeChat Pay moves from one to another.
  package struct Signing: Hashable, Sendable {
    /// The key that signs: `publicKey`, or `certificate` and its number.
    package var from: PlatformKeyName
    /// The key that it moves to; nil while it stays.
    package var to: PlatformKeyName?
    /// When the move began: it goes on by itself, day by day. Nil where `permille` says how far it is.
    package var since: Timestamp?
    /// Of a thousand, how many are signed by the new key; counts where `since` is nil.
    package var permille: Int64

    /// The days of a move: of a thousand, so many on the first, second, … day after the operator began it.
    static let days: [Int64] = [1, 10, 50, 100, 200, 500, 1000]

    package init(_ key: PlatformKeyName) {
      from = key
      to = nil
      since = nil
      permille = 0
    }

    /// Of a thousand, how many are signed by the new key at a moment.
    func permille(at now: Timestamp) -> Int64 {
      guard to != nil else { return 0 }
      guard let since else { return permille }
      let day = (now - since).milliseconds / TimeSpan.days(1).milliseconds
      return day < 0 ? 0 : Self.days[Int(min(day, Int64(Self.days.count - 1)))]
    }
  }

  /// Which kinds of keys there are.
  package var mode = Mode.mixed
  /// When each platform certificate was issued, the first one first.
  package internal(set) var certificatesIssued: [Timestamp] = []
  package var notifications = Signing(.publicKey)
  /// What answers are signed by to requests that do not ask for the public key.
  package var answers = Signing(.certificate(1))

  init() {}
}

/// A key of the platform's by its part: the public key, or the certificate of that number, from 1.
package enum PlatformKeyName: Hashable, Sendable {
  case publicKey
  case certificate(Int)

  package var text: String {
    switch self {
    case .publicKey: "publicKey"
    case .certificate(let number): "certificate\(number)"
    }
  }

  /// The key of that name; nil for any other text.
  package init?(_ text: String) {
    if text == "publicKey" {
      self = .publicKey
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
    notifications = try Signing(JSONFields(fields.value("notifications") ?? .null, path: "notifications"))
    answers = try Signing(JSONFields(fields.value("answers") ?? .null, path: "answers"))
  }

  /// The policy as the log and the control API have it.
  package var json: JSONValue {
    .members([
      ("mode", .string(mode.rawValue)),
      ("certificatesIssued", .array(certificatesIssued.map { .integer($0.milliseconds) })),
      ("notifications", notifications.json), ("answers", answers.json),
    ])
  }

  /// Whether there is such a key.
  func has(_ name: PlatformKeyName) -> Bool {
    switch name {
    case .publicKey: true
    case .certificate(let number): number <= certificatesIssued.count
    }
  }
}

extension PlatformKeyPolicy.Signing {
  init(_ fields: JSONFields) throws(JSONFieldError) {
    let expected = "publicKey or certificate1, certificate2, …"
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
