import Foundation
import HTTPMessages

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What `URLSession` says of one of its tasks.
enum SessionEvent: Sendable {
  case head(Int, status: Int, fields: HTTPFields)
  case piece(Int, [UInt8])
  case end(Int, SessionFailure?)
}

/// Why a task of `URLSession` failed.
struct SessionFailure: Sendable {
  let code: Int
  /// Bytes of the body that were sent. Of the head it says nothing.
  let bytesSent: Int64
}

/// Hands on what `URLSession` says, and keeps nothing.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
  private let events: AsyncStream<SessionEvent>.Continuation

  init(_ events: AsyncStream<SessionEvent>.Continuation) { self.events = events }

  /// No redirect is followed: a purchase goes where the app said, or nowhere.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
  ) { completionHandler(nil) }

  /// Certificates are the system's business. To whatever else is asked there is no answer: the credential of a request
  /// is the one that stands in it.
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
  /// Before these the request was not sent: no address, no connection, no trust in the other side.
  private static let before: Set<Int> = [
    NSURLErrorCannotFindHost, NSURLErrorCannotConnectToHost, NSURLErrorDNSLookupFailed,
    NSURLErrorNotConnectedToInternet, NSURLErrorSecureConnectionFailed, NSURLErrorServerCertificateHasBadDate,
    NSURLErrorServerCertificateUntrusted, NSURLErrorServerCertificateHasUnknownRoot,
    NSURLErrorServerCertificateNotYetValid, NSURLErrorAppTransportSecurityRequiresSecureConnection,
    NSURLErrorDataNotAllowed, NSURLErrorInternationalRoamingOff, NSURLErrorCallIsActive,
  ]
  /// After these there was an answer which is none. (On Linux text that is not HTTP is an unsupported URL.)
  private static let unreadable: Set<Int> = [
    NSURLErrorCannotParseResponse, NSURLErrorCannotDecodeRawData, NSURLErrorCannotDecodeContentData,
    NSURLErrorDataLengthExceedsMaximum, NSURLErrorUnsupportedURL,
  ]

  /// What it says about the request. `unreachable` is said only where it is certain that nothing was processed: a
  /// connection kept from an earlier exchange may have brought the request over before a new one was refused, which
  /// only the bytes of a body betray.
  func error(for request: HTTPRequest, hasAnswered: Bool) -> HTTPExchangeError {
    let canTell = !request.body.isEmpty || ["GET", "HEAD"].contains(request.method)
    if Self.before.contains(code), bytesSent == 0, canTell, !hasAnswered {
      return .unreachable("URLSession reported \(code).")
    }
    if Self.unreadable.contains(code) { return .unreadableAnswer("URLSession reported \(code).") }
    return .outcomeUnknown("URLSession reported \(code).")
  }
}
