import Foundation
import HTTPMessages

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An event of one of `URLSession`'s tasks.
enum SessionEvent: Sendable {
  case head(Int, status: Int, fields: HTTPFields)
  case piece(Int, [UInt8])
  case end(Int, SessionFailure?)
}

/// Why a task of `URLSession` failed.
struct SessionFailure: Sendable {
  let code: Int
  /// Bytes of the body that were sent. The head is not counted.
  let bytesSent: Int64
}

/// Passes on the events of `URLSession`, and keeps nothing.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
  private let events: AsyncStream<SessionEvent>.Continuation

  init(_ events: AsyncStream<SessionEvent>.Continuation) { self.events = events }

  /// Follows no redirect: a purchase goes only to the address that the app named.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
  ) { completionHandler(nil) }

  /// The system checks certificates. Other challenges get no answer: the credential of a request is only the one that
  /// it contains.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    #if canImport(ObjectiveC)
      if challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust {
        return completionHandler(.performDefaultHandling, nil)
      }
    #endif
    completionHandler(.rejectProtectionSpace, nil)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    if let head = response as? HTTPURLResponse {
      let fields = head.allHeaderFields.compactMap { name, value in
        (name as? String).map { (name: $0, value: "\(value)") }
      }
      var sorted = HTTPFields()
      for field in fields.sorted(by: { $0.name < $1.name }) { sorted.add(field.name, field.value) }
      events.yield(.head(dataTask.taskIdentifier, status: head.statusCode, fields: sorted))
    }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    events.yield(.piece(dataTask.taskIdentifier, Array(data)))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let failure = error.map {
      SessionFailure(code: ($0 as NSError).code, bytesSent: task.countOfBytesSent)
    }
    events.yield(.end(task.taskIdentifier, failure))
  }
}

extension SessionFailure {
  /// Errors before the request was sent: no address, no connection, no trust in the server.
  private static let before: Set<Int> = [
    NSURLErrorCannotFindHost, NSURLErrorCannotConnectToHost, NSURLErrorDNSLookupFailed,
    NSURLErrorNotConnectedToInternet, NSURLErrorSecureConnectionFailed, NSURLErrorServerCertificateHasBadDate,
    NSURLErrorServerCertificateUntrusted, NSURLErrorServerCertificateHasUnknownRoot,
    NSURLErrorServerCertificateNotYetValid, NSURLErrorAppTransportSecurityRequiresSecureConnection,
    NSURLErrorDataNotAllowed, NSURLErrorInternationalRoamingOff, NSURLErrorCallIsActive,
  ]
  /// Errors after an invalid answer. (On Linux, text that is not HTTP counts as an unsupported URL.)
  private static let unreadable: Set<Int> = [
    NSURLErrorCannotParseResponse, NSURLErrorCannotDecodeRawData, NSURLErrorCannotDecodeContentData,
    NSURLErrorDataLengthExceedsMaximum, NSURLErrorUnsupportedURL,
  ]

  /// The error of the request. `unreachable` requires certainty that nothing was processed. A connection from an
  /// earlier exchange may have transferred the request before a new connection was refused; only the sent body bytes
  /// show that.
  func error(for request: HTTPRequest, hasAnswered: Bool) -> HTTPExchangeError {
    let canTell = !request.body.isEmpty || ["GET", "HEAD"].contains(request.method)
    if Self.before.contains(code), bytesSent == 0, canTell, !hasAnswered {
      return .unreachable("URLSession reported \(code).")
    }
    if Self.unreadable.contains(code) { return .unreadableAnswer("URLSession reported \(code).") }
    return .outcomeUnknown("URLSession reported \(code).")
  }
}
