import Cryptography
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import Synchronization

/// What the operators of a world press in the console, and what they were answered; for the oracle.
final class WorldOperators: Sendable {
  /// Somebody who is signed in.
  struct Account: Hashable, Sendable {
    let name: OperatorName
    /// The session's token, as their browser has it.
    let token: String

    var digest: String { APIKeyText.digest(of: token) }

    /// Two may do everything, so each can approve what the other asks for.
    static let all = [
      Account(name: "olga", token: String(repeating: "olga", count: 10) + "abc"),
      Account(name: "oleg", token: String(repeating: "oleg", count: 10) + "abc"),
    ]
  }

  /// One press of a button. However often it is sent, it is one.
  struct Press: Hashable, Sendable {
    let id: String
    let account: Account
    /// The path behind the app's.
    let path: String
    /// The action's name in the audit log.
    let action: String
    let reason: String
    var fields: [String: String] = [:]
    /// The approval that it decides about.
    var approval: String?
    /// The payment that it gives to a user.
    var claimed: PaymentKey?
    var answer: Answer?

    /// Its name in the audit log.
    var key: String { Array(SHA256.hash(Array("\(account.digest) \(id)".utf8))).hexadecimal }
    /// The approval that it asks for, if it needs one.
    var askedApproval: String { String(Array(SHA256.hash("approval \(key)")).hexadecimal.prefix(32)) }

    /// The path of a payment, behind the app's.
    static func path(of payment: PaymentKey) -> String {
      "payments/\(payment.store.rawValue)/\(payment.environment.rawValue)/\(payment.transaction)"
    }
  }

  enum Answer: Hashable, Sendable {
    /// What the page says that the operator is led to.
    case notice(String)
    case refused(Int)
  }

  private let state = Mutex<[Press]>([])

  /// All of them, in the order in which they were pressed first.
  var presses: [Press] { state.withLock { $0 } }

  func want(_ press: Press) { state.withLock { $0.append(press) } }

  /// The first answer counts: later ones say that it was sent before.
  func note(_ answer: Answer, of press: Press) {
    state.withLock { all in
      guard let index = all.firstIndex(where: { $0.id == press.id }), all[index].answer == nil else { return }
      all[index].answer = answer
    }
  }

  func answer(of press: Press) -> Answer? { presses.first { $0.id == press.id }?.answer }
}
