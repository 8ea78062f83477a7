import HTTPMessages
import StrictJSON
import Synchronization

// The answers to floods. Other checks ensure that floods gave no user anything, and took nothing from any user.

/// The answer to one request of a flood.
struct FloodAnswer: Hashable, Sendable {
  /// Nil without an answer: the server was stopped, or was killed meanwhile.
  let status: Int?
  let code: String?
  /// Whether a payment got any verdict other than a rejection.
  let isPaymentBelieved: Bool

  init(_ response: HTTPResponse?) {
    status = response?.status
    let body = response.flatMap { try? JSONReader.read($0.body) }
    code = body?["code"]?.string
    let verdicts = body?["payments"]?.array?.map { $0["verdict"]?.string }
    isPaymentBelieved = verdicts?.contains { $0 != "refused" } ?? true
  }

  var word: String { "\(status.map { "\($0)" } ?? "no answer")\(code.map { " \($0)" } ?? "")" }

  /// Whether the sender had exceeded a rate limit.
  var isBudget: Bool { code == "too_many_requests" || code == "verification_busy" }

  /// Whether the server accepted the sent data as true.
  var isBelieved: Bool { (200..<300).contains(status ?? 0) && isPaymentBelieved }

  /// Whether this is a permitted answer to a repeat of genuine data.
  var isFairToRepeats: Bool { status == nil || isBudget || status == 503 || (200..<300).contains(status ?? 0) }
}

/// The answers to all floods of a world.
final class FloodNotes: Sendable {
  private let state = Mutex<[(kind: FloodPlan.Kind, answers: [FloodAnswer])]>([])

  func note(_ kind: FloodPlan.Kind, _ answers: [FloodAnswer]) { state.withLock { $0.append((kind, answers)) } }

  var all: [(kind: FloodPlan.Kind, answers: [FloodAnswer])] { state.withLock { $0 } }
}

extension WorldOracle {
  /// Checks that no forged data is accepted, and that genuine data is rejected only because of the load.
  func judgeFloods() {
    for (kind, answers) in context.floodNotes.all {
      let believed = answers.count { kind.isForged && $0.isBelieved }
      if believed > 0 { events.reportViolation("\(believed) requests of a flood of \(kind) were believed") }
      let unfair = Set(answers.filter { !kind.isForged && !$0.isFairToRepeats }.map(\.word)).sorted()
      if !unfair.isEmpty { events.reportViolation("a flood of \(kind), which is genuine, was answered \(unfair)") }
    }
  }
}
