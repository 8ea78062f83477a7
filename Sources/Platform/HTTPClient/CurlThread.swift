import CCurl
import HTTPMessages
import PaymentPrimitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A thread that makes all exchanges with one multi handle of libcurl. It ends when no reference to it is left.
final class CurlThread: Sendable {
  private let inbox: CurlInbox

  init() throws(CodedError<HTTPClientErrorCode>) {
    guard Self.libraryIsReady else {
      throw CodedError(.clientUnavailable, "libcurl could not be initialised.")
    }
    inbox = CurlInbox()
    guard Self.start(inbox) else {
      throw CodedError(.clientUnavailable, "No thread could be started.")
    }
  }

  deinit { inbox.stop() }

  /// Initialises libcurl once. This is thread-safe since libcurl 7.84.
  private static let libraryIsReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  func send(
    _ request: HTTPRequest, _ plan: TransferPlan, timeLimit: TimeSpan
  ) async throws(HTTPExchangeError) -> HTTPResponse {
    let exchange = PendingExchange(request, plan, timeLimit: timeLimit)
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        exchange.wait(continuation)
        guard !exchange.isFinished else { return }
        if !inbox.begin(exchange) {
          exchange.finish(.failure(.unreachable("Too many exchanges are under way.")))
        }
      }
    } onCancel: {
      // The waiting caller gets the result at once; the thread closes the connection later.
      exchange.finish(.failure(.cancelled))
      inbox.end(exchange)
    }
    return try outcome.get()
  }

  private static func start(_ inbox: CurlInbox) -> Bool {
    let context = Unmanaged.passRetained(inbox)
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    guard pthread_create(&thread, nil, runCurlThread, context.toOpaque()) == 0 else {
      context.release()
      return false
    }
    #if canImport(Darwin)
      if let thread { pthread_detach(thread) }
    #else
      pthread_detach(thread)
    #endif
    return true
  }
}

#if canImport(Darwin)
  private func runCurlThread(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    var loop = CurlLoop(inbox: Unmanaged<CurlInbox>.fromOpaque(context).takeRetainedValue())
    loop.run()
    return nil
  }
#else
  private func runCurlThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    var loop = CurlLoop(inbox: Unmanaged<CurlInbox>.fromOpaque(context).takeRetainedValue())
    loop.run()
    return nil
  }
#endif
