import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// The row of `lock_keys` that stands for a key: the same on every node, in every version of the program.
///
/// Two keys with one number only wait for each other without need.
struct LockNumber: Hashable, Comparable, Sendable {
  let number: Int64

  /// The row for everything: who writes rows without known keys changes it.
  static let everything: Int64 = 0

  /// How many rows there are at most, apart from those for rare keys.
  private static let count: UInt64 = 1 << 20

  init(_ key: LockKey) {
    var digest = KeyDigest()
    digest.add(key)
    number = Int64(digest.value % Self.count) + 1
  }

  static func < (left: LockNumber, right: LockNumber) -> Bool { left.number < right.number }
}

/// FNV-1a with 64 bits over the parts of a key. It must never change: two versions of the program may run together.
private struct KeyDigest {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  private mutating func add(byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }

  private mutating func add(_ number: UInt64) {
    for shift in stride(from: UInt64(0), to: 64, by: 8) { add(byte: UInt8(truncatingIfNeeded: number >> shift)) }
  }

  /// The length comes first, so that two texts never read like two others.
  private mutating func add(_ text: String) {
    add(UInt64(text.utf8.count))
    for byte in text.utf8 { add(byte: byte) }
  }

  private mutating func add(_ id: OrderIdentifier) {
    add(id.high)
    add(id.low)
  }

  private mutating func add(_ appEnvironment: AppEnvironment) {
    add(appEnvironment.app.text)
    add(appEnvironment.environment.rawValue)
  }

  private mutating func add(_ key: PaymentKey) {
    add(key.appEnvironment)
    add(key.store.rawValue)
    add(key.transaction.text)
  }

  /// Adds the number of a kind and the texts of one of its keys.
  private mutating func add(kind: UInt8, _ appEnvironment: AppEnvironment? = nil, texts: String...) {
    add(byte: kind)
    if let appEnvironment { add(appEnvironment) }
    for text in texts { add(text) }
  }

  mutating func add(_ key: LockKey) {
    switch key {
    case .order(let key):
      add(kind: 1, key.appEnvironment)
      add(key.id)
    case .reference(let text, let realm): add(kind: 2, realm, texts: text)
    case .idempotency(let text, let caller, let realm): add(kind: 3, realm, texts: text, caller)
    case .user(let user, let realm): add(kind: 4, realm, texts: user.text)
    // One number for both: most payments are the original of their own, and each row costs a lock and a new version.
    case .payment(let key), .original(let key):
      add(kind: 5)
      add(key)
    case .appTransaction(let text, let realm): add(kind: 7, realm, texts: text)
    case .customer(let key):
      add(kind: 8)
      add(key)
    case .earlierList(let store, let realm): add(kind: 9, realm, texts: store.rawValue)
    case .refund(let number, let realm): add(kind: 10, realm, texts: number)
    case .booking(let key, let realm): add(kind: 11, realm, texts: key)
    case .bookings(let realm): add(kind: 12, realm)
    case .notification(let id, let realm): add(kind: 13, realm, texts: id)
    case .delivery(let id): add(kind: 14, texts: id.text)
    case .receipt(let digest): add(kind: 15, texts: digest)
    case .reconciliation(let day, let store, let realm): add(kind: 16, realm, texts: day, store.rawValue)
    case .phoneReport(let id, let realm):
      add(kind: 17, realm)
      add(id)
    case .apiKey(let id): add(kind: 18, texts: id.text)
    case .setting(let name): add(kind: 19, texts: name)
    case .operatorAccount(let name): add(kind: 20, texts: name.text)
    case .signInLink(let digest): add(kind: 21, texts: digest)
    case .consoleSession(let digest): add(kind: 22, texts: digest)
    case .auditLog: add(kind: 23)
    case .pendingSignIn(let digest): add(kind: 24, texts: digest)
    case .operatorAccess(let name): add(kind: 25, texts: name.text)
    case .passkey(let credential): add(kind: 26, texts: credential)
    case .approval(let id): add(kind: 27, texts: id)
    case .complaint(let id, let realm): add(kind: 28, realm, texts: id)
    case .promotionalEntitlement(let key, let realm): add(kind: 29, realm, texts: key)
    case .merge(let user, let realm): add(kind: 30, realm, texts: user.text)
    }
  }
}
