import HTTPMessages
import StrictJSON
import Synchronization

// What floods were answered. That they gave nobody anything, and took nothing from anybody, is judged with all else.

/// What one request of a flood was answered.
struct FloodAnswer: Hashable, Sendable {
  /// Nil where nobody answered: the server was down, or died over it.
  let status: Int?
  let code: String?
  /// Whether a payment was answered by anything but that it is refused.
  let isPaymentBelieved: Bool

  init(_ response: HTTPResponse?) {
    status = response?.status
    let body = response.flatMap { try? JSONReader.read($0.body) }
    code = body?["code"]?.string
    let verdicts = body?["payments"]?.array?.map { $0["verdict"]?.string }
    isPaymentBelieved = verdicts?.contains { $0 != "refused" } ?? true
  }

  var word: String { "\(status.map { "\($0)" } ?? "no answer")\(code.map { " \($0)" } ?? "")" }

  /// Whether somebody had used up what he may ask.
  var isBudget: Bool { code == "too_many_requests" || code == "verification_busy" }

  /// Whether what was sent counts as true.
  var isBelieved: Bool { (200..<300).contains(status ?? 0) && isPaymentBelieved }

  /// Whether whoever repeats something genuine may be answered so.
  var isFairToRepeats: Bool { status == nil || isBudget || status == 503 || (200..<300).contains(status ?? 0) }
}

/// The answers to all floods of a world.
final class FloodNotes: Sendable {
  private let state = Mutex<[(kind: FloodPlan.Kind, answers: [FloodAnswer])]>([])

  func note(_ kind: FloodPlan.Kind, _ answers: [FloodAnswer]) { state.withLock { $0.append((kind, answers)) } }

  var all: [(kind: FloodPlan.Kind, answers: [FloodAnswer])] { state.withLock { $0 } }
}

extension WorldOracle {
  /// Nothing forged is believed, and what is genuine is refused only because there is too much of it.
  func judgeFloods() {
    for (kind, answers) in stage.floodNotes.all {
      let believed = answers.count { kind.isForged && $0.isBelieved }
      if believed > 0 { story.complain("\(believed) requests of a flood of \(kind) were believed") }
      let unfair = Set(answers.filter { !kind.isForged && !$0.isFairToRepeats }.map(\.word)).sorted()
      if !unfair.isEmpty { story.complain("a flood of \(kind), which is genuine, was answered \(unfair)") }
    }
  }
}
