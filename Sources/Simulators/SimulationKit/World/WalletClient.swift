import PaymentPrimitives
import Synchronization

/// What the backend of a world takes from its users' balances, each under an id of its own; it survives the backend.
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

  /// What the server has said of it.
  enum Outcome: Hashable, Sendable {
    /// Nothing yet, or nothing that arrived.
    case unknown
    /// It is booked; heard for the first time at that moment.
    case done(at: Timestamp)
    /// It is not, for a reason. Asked again it may be.
    case refused(String)
  }

  private let state = Mutex<[Debit]>([])

  /// All of them, in the order in which they were wanted.
  var debits: [Debit] { state.withLock { $0 } }

  /// Whether it is known to be booked.
  func isDone(_ key: String) -> Bool {
    state.withLock { all in
      guard let debit = all.first(where: { $0.key == key }), case .done = debit.outcome else { return false }
      return true
    }
  }

  /// What was spent of a unit, as far as the backend knows.
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
