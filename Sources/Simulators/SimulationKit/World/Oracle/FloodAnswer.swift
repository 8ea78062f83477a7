import HTTPMessages
import StrictJSON

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
