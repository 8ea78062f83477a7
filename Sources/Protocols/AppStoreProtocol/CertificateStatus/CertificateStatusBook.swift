package import Cryptography
package import PaymentPrimitives
import Synchronization

/// Whether issuers are asked if their certificates are revoked.
package enum RevocationCheck: String, CaseIterable, Sendable {
  case off
  /// A revoked certificate is refused. If its issuer does not answer, the data is accepted, and counted.
  case soft
  /// A revoked certificate is refused. If its issuer does not answer, the data waits.
  case hard
}

/// A certificate whose issuer is asked, with the two above it.
package struct CertificateStatusQuestion: Hashable, Sendable {
  package let certificate: X509Certificate
  package let issuer: X509Certificate
  package let root: X509Certificate
  /// Whether the root is one of Apple's.
  package let isApples: Bool
  /// The SHA-256 of the certificate.
  package let fingerprint: [UInt8]
  /// The responder that the certificate names; nil if it names none.
  package let address: String?

  init(_ certificate: X509Certificate, issuer: X509Certificate, root: X509Certificate, isApples: Bool) {
    (self.certificate, self.issuer, self.root, self.isApples) = (certificate, issuer, root, isApples)
    fingerprint = certificate.fingerprint
    address = certificate.statusAddresses.first { $0.hasPrefix("http://") || $0.hasPrefix("https://") }
  }
}

/// What is known of the certificates of one chain.
enum ChainStatus: Hashable, Sendable {
  /// Nothing is asked: by the configuration, because the certificate names no responder, or because it has expired.
  case notAsked
  case good
  case unknown(String)
  case revoked(String)
}

/// What the issuers said of their certificates. It is read at each verification and never waits: who asks is
/// `CertificateStatusExchange`.
package final class CertificateStatusBook: Sendable {
  private struct Entry {
    let question: CertificateStatusQuestion
    var goodUntil: Timestamp?
    var askAt: Timestamp
  }

  private struct State {
    var entries: [[UInt8]: Entry] = [:]
    /// The reasons, by fingerprint. A revocation is never taken back (RFC 5280 §5.3.1, but for `certificateHold`, which
    /// Apple does not use).
    var revoked: [[UInt8]: String] = [:]
    var hasNewRevocations = false
  }

  package let check: RevocationCheck
  private let state = Mutex(State())

  /// A good answer counts no longer, whatever its responder says.
  private static let goodSpanMax = TimeSpan.days(7)
  /// How long an answer without an end counts.
  private static let goodSpanWithoutEnd = TimeSpan.hours(1)
  /// The pause after a question without a usable answer.
  package static let pauseAfterFailure = TimeSpan.seconds(60)
  /// Genuine chains alone are asked about: Apple has some at a time. Beyond this, statuses stay unknown.
  private static let entriesMax = 256

  init(_ check: RevocationCheck) { self.check = check }

  /// The status of a chain by what is known now. A certificate that is seen for the first time is noted for asking.
  func status(of chain: [CertificateStatusQuestion], at now: Timestamp) -> ChainStatus {
    guard check != .off else { return .notAsked }
    return state.withLock { state in
      var (isAsked, unknown): (Bool, String?) = (false, nil)
      for question in chain {
        if let reason = state.revoked[question.fingerprint] {
          return .revoked("\(question.certificate.subject.description): \(reason)")
        }
        // Responders do not answer for certificates that have expired.
        guard now <= question.certificate.notAfter else { continue }
        if question.address == nil {
          if check == .hard { unknown = "\(question.certificate.subject.description) names no responder." }
          continue
        }
        isAsked = true
        if state.entries[question.fingerprint] == nil, state.entries.count < Self.entriesMax {
          state.entries[question.fingerprint] = Entry(question: question, goodUntil: nil, askAt: now)
        }
        if state.entries[question.fingerprint]?.goodUntil.map({ now <= $0 }) != true {
          unknown = "\(question.certificate.subject.description): its responder has not answered."
        }
      }
      if let unknown { return .unknown(unknown) }
      return isAsked ? .good : .notAsked
    }
  }

  /// The certificates to ask about now: new ones, and those whose answer ends soon.
  package func questions(at now: Timestamp) -> [CertificateStatusQuestion] {
    state.withLock { state in
      state.entries.values.filter { $0.askAt <= now && now <= $0.question.certificate.notAfter }.map(\.question)
        .sorted { $0.fingerprint.lexicographicallyPrecedes($1.fingerprint) }
    }
  }

  package func note(_ status: CertificateStatus, of question: CertificateStatusQuestion, at now: Timestamp) {
    state.withLock { state in
      switch status.answer {
      case .good:
        let end = status.nextUpdate ?? status.thisUpdate + Self.goodSpanWithoutEnd
        let until = min(end, now + Self.goodSpanMax)
        state.entries[question.fingerprint]?.goodUntil = until
        // The second half is for asking again, so that an answer rarely ends before the next one.
        let half = TimeSpan(milliseconds: max(0, (until - now).milliseconds / 2))
        state.entries[question.fingerprint]?.askAt = now + max(half, Self.pauseAfterFailure)
      case .revoked(let moment, let reason):
        state.entries[question.fingerprint] = nil
        state.revoked[question.fingerprint] = "revoked at \(moment.iso8601), \(reason)"
        state.hasNewRevocations = true
      case .unknown:
        state.entries[question.fingerprint]?.goodUntil = nil
        state.entries[question.fingerprint]?.askAt = now + Self.pauseAfterFailure
      }
    }
  }

  /// Notes that there was no usable answer: an earlier one counts until its end.
  package func noteSilence(about question: CertificateStatusQuestion, at now: Timestamp) {
    state.withLock { $0.entries[question.fingerprint]?.askAt = now + Self.pauseAfterFailure }
  }

  /// The revoked certificates, if there are new ones since the last call; their owner stores them. After a restart they
  /// are refused although their responder may not answer.
  package func takeNewRevocations() -> [(fingerprint: [UInt8], reason: String)]? {
    state.withLock { state in
      guard state.hasNewRevocations else { return nil }
      state.hasNewRevocations = false
      return state.revoked.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { ($0.key, $0.value) }
    }
  }

  /// Reports the same again at the next call, because storing failed.
  package func keepNewRevocations() { state.withLock { $0.hasNewRevocations = true } }

  package func recall(revocations: [(fingerprint: [UInt8], reason: String)]) {
    state.withLock { state in
      for (fingerprint, reason) in revocations { state.revoked[fingerprint] = reason }
    }
  }
}
