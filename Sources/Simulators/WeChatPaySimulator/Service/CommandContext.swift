import Cryptography
import PaymentPrimitives
import StrictJSON
import WeChatPayProtocol

/// The input of a command: the current state, time and randomness. The output: changes.
struct CommandContext {
  let state: WeChatPayState
  /// The time of the command: the current time, or the scheduled time of a due event.
  let now: Timestamp
  private let dependencies: Dependencies

  /// The resulting changes; empty changes nothing.
  private(set) var changes: [WeChatPayChange] = []
  /// The planned faults, without the occurrences used so far.
  private var faults: [PlannedFault]

  init(_ state: WeChatPayState, now: Timestamp, _ dependencies: Dependencies) {
    self.state = state
    self.now = now
    self.dependencies = dependencies
    faults = state.faults
  }

  /// The record of the changes; nil when nothing changes.
  var record: WeChatPayRecord? {
    changes.isEmpty ? nil : WeChatPayRecord(number: state.recordCount + 1, changes: changes)
  }

  mutating func put(_ change: WeChatPayChange) { changes.append(change) }

  /// The first planned fault that applies here; nil when none occurs. A matching fault uses up one skip or one
  /// occurrence.
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

  // MARK: randomness and numbers

  func chance(below bound: Int64) -> Int64 { Int64(dependencies.randomNumber(below: UInt64(bound))) }

  func nonce() -> String { Nonce.text(randomBytes: dependencies.randomBytes(32)) }

  /// Hexadecimal digits from random bytes and the record number. Two values of one log differ even if the random bytes
  /// repeat after a restart.
  func digits(_ count: Int) -> String {
    let number = withUnsafeBytes(of: UInt64(state.recordCount).bigEndian) { Array($0) }
    return String(Hexadecimal.text(SHA256.hash(dependencies.randomBytes(16) + number)).prefix(count))
  }

  /// An id in the form of a UUID.
  func identifier() -> String {
    let digits = Array(digits(32))
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
  }

  /// A serial number of ten digits, from the record number; a command makes at most one item of each kind.
  func tenDigits() -> String {
    let number = Int64(state.recordCount) * 16 + chance(below: 16)
    let text = "\(number % 10_000_000_000)"
    return String(repeating: "0", count: 10 - text.count) + text
  }

  /// The current Beijing day as eight digits.
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
