import Cryptography
import PaymentPrimitives
import StrictJSON
import WeChatPayProtocol

/// What a command decides on: the state as it is, the moment, chance. What it decides: changes.
struct CommandContext {
  let state: WeChatPayState
  /// The moment that the command happens at: the present one, or that at which something became due.
  var now: Timestamp
  private let surroundings: Dependencies

  /// What is to change; empty leaves everything as it is.
  private(set) var changes: [WeChatPayChange] = []
  /// The faults as they stand after those that struck.
  private var faults: [PlannedFault]

  init(_ state: WeChatPayState, now: Timestamp, _ surroundings: Dependencies) {
    self.state = state
    self.now = now
    self.surroundings = surroundings
    faults = state.faults
  }

  mutating func put(_ change: WeChatPayChange) { changes.append(change) }

  /// The first planned fault of those that matter here, if its occasion has come.
  mutating func strike(
    _ operation: WeChatPayOperation, host: String? = nil, among matters: (WeChatPayFault) -> Bool
  ) -> WeChatPayFault? {
    for index in faults.indices where faults[index].applies(to: operation, host: host) && matters(faults[index].fault) {
      guard faults[index].skip == 0 else {
        faults[index].skip -= 1
        noteFaults()
        continue
      }
      guard faults[index].percent == 100 || chance(below: 100) < faults[index].percent else { continue }
      let fault = faults[index].fault
      if let count = faults[index].count {
        if count > 1 { faults[index].count = count - 1 } else { faults.remove(at: index) }
        noteFaults()
      }
      return fault
    }
    return nil
  }

  private mutating func noteFaults() {
    changes.removeAll { if case .faults = $0 { true } else { false } }
    changes.append(.faults(faults))
  }

  // MARK: chance and numbers

  func chance(below bound: Int64) -> Int64 { Int64(surroundings.randomNumber(below: UInt64(bound))) }

  func nonce() -> String { Nonce.text(randomBytes: surroundings.randomBytes(32)) }

  /// Hexadecimal digits by chance and by the number of the record: two of one log differ even if chance repeats itself
  /// after a restart.
  func digits(_ count: Int) -> String {
    let number = withUnsafeBytes(of: UInt64(state.recordCount).bigEndian) { Array($0) }
    return String(Hexadecimal.text(SHA256.hash(surroundings.randomBytes(16) + number)).prefix(count))
  }

  /// An id in the form of a UUID.
  func identifier() -> String {
    let digits = Array(digits(32))
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
  }

  /// The running number of what this command makes, as ten digits; it makes one thing of each kind at most.
  func tenDigits() -> String {
    let number = Int64(state.recordCount) * 16 + chance(below: 16)
    let text = "\(number % 10_000_000_000)"
    return String(repeating: "0", count: 10 - text.count) + text
  }

  /// The Beijing day of this moment as eight digits.
  func eightDigits() -> String { String(BeijingTime.day(now).filter { $0 != "-" }) }

  /// A new `prepay_id`: 36 characters.
  func prepayId() -> String {
    let moment = String(decoding: BeijingTime.billText(now).utf8.filter(Forms.isDigit), as: UTF8.self)
    return "wx" + moment + digits(20)
  }
}

/// Bytes as hexadecimal digits, lower case.
enum Hexadecimal {
  static func text(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
