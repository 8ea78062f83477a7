import AppStoreProtocol
import Cryptography
import PaymentEngine
import PaymentPrimitives

/// Asks issuers whether their certificates are revoked: when a certificate is seen for the first time, and again before
/// an answer ends. Verifications only read what is known.
actor CertificateStatusClient {
  private let book: CertificateStatusBook
  private let exchanges: Exchanges
  private let dependencies: Dependencies
  private let metrics: Metrics
  private let log: Log
  private let questions = RequestCoalescer<[UInt8]>()

  init(
    _ book: CertificateStatusBook, _ exchanges: Exchanges, dependencies: Dependencies, metrics: Metrics,
    log: @escaping Log
  ) {
    self.book = book
    self.exchanges = exchanges
    self.dependencies = dependencies
    self.metrics = metrics
    self.log = log
  }

  /// Asks everything that is due, all at once; a question that is under way is waited for.
  ///
  /// - Returns: whether anything was due, so that a second verification may see more.
  func learn() async -> Bool {
    let due = book.questions(at: dependencies.now())
    await withTaskGroup(of: Void.self) { group in
      for question in due { group.addTask { await self.ask(question) } }
    }
    return !due.isEmpty
  }

  private func ask(_ question: CertificateStatusQuestion) async {
    let key = question.fingerprint
    switch await questions.take(key, at: dependencies.now(), pause: .zero) {
    case .justAsked: return
    case .underWay(let listener):
      for await _ in listener.signals { break }
      await questions.stopListening(listener.number, for: key)
      return
    case .yours: break
    }
    let exchange = question.isApples ? exchanges.outside : exchanges.anywhere
    let outcome = await CertificateStatusExchange.ask(question, by: exchange, at: dependencies.now())
    metrics.count(.certificateStatusQuestionsTotal, [("outcome", outcome.word)])
    note(outcome, question)
    await questions.done(key, at: dependencies.now())
  }

  private func note(_ outcome: CertificateStatusExchange.Outcome, _ question: CertificateStatusQuestion) {
    let now = dependencies.now()
    let subject = ("certificate", question.certificate.subject.description)
    func logSilence(_ why: String) { log(LogEvent(.warning, "certificate.statusUnknown", [subject, ("why", why)])) }
    switch outcome {
    case .answered(let status):
      book.note(status, of: question, at: now)
      switch status.answer {
      case .good: return
      case .revoked(let moment, let reason):
        log(
          LogEvent(.error, "certificate.revoked", [subject, ("revokedAt", moment.iso8601), ("reason", reason)]))
      case .unknown: logSilence("unknown to its responder")
      }
    case .silent(_, let why):
      book.noteSilence(about: question, at: now)
      logSilence(why)
    }
  }
}
