package import Cryptography
package import HTTPMessages
package import PaymentPrimitives

/// Asks an OCSP responder about one certificate (RFC 6960 over HTTP).
package enum CertificateStatusExchange {
  package enum Outcome: Sendable {
    case answered(CertificateStatus)
    /// Nothing is known; the word is for metrics, the text for people.
    case silent(word: String, String)

    /// The word for metrics.
    package var word: String {
      switch self {
      case .answered(let status):
        switch status.answer {
        case .good: "good"
        case .revoked: "revoked"
        case .unknown: "unknown"
        }
      case .silent(let word, _): word
      }
    }
  }

  /// Covers connecting, sending and the whole answer: who waits for it may be a purchase.
  package static let timeLimit = TimeSpan.seconds(3)
  /// The responder of Apple's authorities. A certificate of theirs that names another one is not asked about.
  private static let applesHost = "ocsp.apple.com"

  package static func ask(
    _ question: CertificateStatusQuestion, by exchange: HTTPExchange, at now: Timestamp
  ) async -> Outcome {
    guard let address = question.address else { return .silent(word: "refused", "The certificate names no responder.") }
    guard !question.isApples || host(of: address) == applesHost else {
      return .silent(word: "refused", "Its responder is not \(applesHost).")
    }
    var request = HTTPRequest("POST", address)
    request.fields.set("Content-Type", "application/ocsp-request")
    request.fields.set("Accept", "application/ocsp-response")
    request.body = CertificateStatus.question(about: question.certificate, issuedBy: question.issuer)
    let response: HTTPResponse
    do throws(HTTPExchangeError) { response = try await exchange.send(request, timeLimit) } catch {
      return .silent(word: "unreachable", "\(error)")
    }
    guard response.status == 200 else { return .silent(word: "refused", "It answered \(response.status).") }
    do throws(CodedError<CryptographyErrorCode>) {
      return .answered(
        try CertificateStatus(
          answer: response.body, about: question.certificate, issuedBy: question.issuer, root: question.root, at: now))
    } catch {
      return .silent(word: "refused", error.details)
    }
  }

  private static func host(of address: String) -> String {
    let rest = address.drop { $0 != "/" }.dropFirst(2)
    return rest.prefix { $0 != "/" && $0 != ":" && $0 != "?" }.lowercased()
  }
}
