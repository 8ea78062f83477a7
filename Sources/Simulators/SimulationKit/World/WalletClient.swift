import PaymentPrimitives
import Synchronization

/// The debits that the backend of a world makes, each under its own id; they survive a kill of the backend.
final class WalletClient: Sendable {
  struct Debit: Hashable, Sendable {
    let key: String
    let user: UserIdentifier
    let unit: UnitName
    let amount: Int64
    /// How often the server was asked.
    var questions = 0
    var outcome = Outcome.unknown

    init(key: String, user: UserIdentifier, unit: UnitName, amount: Int64) {
      self.key = key
      self.user = user
      self.unit = unit
      self.amount = amount
    }
  }

  /// The server's answer to a debit.
  enum Outcome: Hashable, Sendable {
    /// No answer has arrived.
    case unknown
    /// The debit is booked; the time of the first answer that said so.
    case done(at: Timestamp)
    /// The debit was rejected with this reason; a later attempt may succeed.
    case refused(String)
  }

  private let state = Mutex<[Debit]>([])

  /// All debits, in the order in which they were requested.
  var debits: [Debit] { state.withLock { $0 } }

  /// Whether the backend knows that the debit is booked.
  func isDone(_ key: String) -> Bool {
    state.withLock { all in
      guard let debit = all.first(where: { $0.key == key }), case .done = debit.outcome else { return false }
      return true
    }
  }

  /// The amount that the user spent, as far as the backend knows.
  func spent(by user: UserIdentifier, of unit: UnitName) -> Int64 {
    debits.reduce(0) { sum, debit in
      guard case .done = debit.outcome, debit.user == user, debit.unit == unit else { return sum }
      return sum + debit.amount
    }
  }

  func want(_ debit: Debit) { state.withLock { $0.append(debit) } }

  func ask(_ key: String) { change(key) { $0.questions += 1 } }

  func note(_ outcome: Outcome, of key: String) {
    change(key) { debit in
      if case .done = debit.outcome { return }
      debit.outcome = outcome
    }
  }

  private func change(_ key: String, _ body: (inout Debit) -> Void) {
    state.withLock { all in
      guard let index = all.firstIndex(where: { $0.key == key }) else { return }
      body(&all[index])
    }
  }
}
