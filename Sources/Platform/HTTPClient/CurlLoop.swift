import CCurl
import HTTPMessages

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The body of the thread that owns the multi handle. Everything here runs on that thread.
struct CurlLoop {
  private let inbox: CurlInbox
  private var transfers: [UnsafeMutableRawPointer: CurlTransfer] = [:]
  private var handles: [ObjectIdentifier: UnsafeMutableRawPointer] = [:]

  private static let connectionsKeptMax = 64

  init(inbox: CurlInbox) { self.inbox = inbox }

  mutating func run() {
    Self.blockSignals()
    guard let multi = curl_multi_init() else { return refuseEverything() }
    _ = ccurl_set_multi_number(multi, CURLMOPT_MAXCONNECTS, Self.connectionsKeptMax)
    inbox.setHandle(multi)
    while true {
      let orders = inbox.take()
      for exchange in orders.beginning { begin(exchange, on: multi) }
      for exchange in orders.ending { end(exchange, on: multi) }
      if orders.isStopping, transfers.isEmpty { break }
      var running: Int32 = 0
      curl_multi_perform(multi, &running)
      takeOutcomes(of: multi)
      // libcurl wakes earlier for its own timers; an order wakes it at any time.
      curl_multi_poll(multi, nil, 0, transfers.isEmpty ? 60_000 : 1000, nil)
    }
    inbox.removeHandle()
    curl_multi_cleanup(multi)
  }

  /// The program handles signals, so this thread blocks them. `SIGPIPE` matters most: OpenSSL inside libcurl writes to
  /// sockets without suppressing it.
  private static func blockSignals() {
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, nil)
  }

  private mutating func begin(_ exchange: PendingExchange, on multi: UnsafeMutableRawPointer) {
    guard !exchange.isFinished else { return inbox.forget() }
    do throws(HTTPExchangeError) {
      let transfer = try CurlTransfer(exchange)
      guard curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else {
        throw .unreachable("libcurl takes no further transfer.")
      }
      transfers[transfer.easy] = transfer
      handles[ObjectIdentifier(exchange)] = transfer.easy
    } catch {
      exchange.finish(.failure(error))
      inbox.forget()
    }
  }

  private mutating func end(_ exchange: PendingExchange, on multi: UnsafeMutableRawPointer) {
    guard let easy = handles[ObjectIdentifier(exchange)] else { return }
    remove(easy, from: multi)
  }

  private mutating func takeOutcomes(of multi: UnsafeMutableRawPointer) {
    var result = CURLE_OK
    while let easy = ccurl_next_ended(multi, &result) {
      guard let transfer = transfers[easy] else { continue }
      transfer.exchange.finish(transfer.outcome(result))
      remove(easy, from: multi)
    }
  }

  private mutating func remove(_ easy: UnsafeMutableRawPointer, from multi: UnsafeMutableRawPointer) {
    guard let transfer = transfers.removeValue(forKey: easy) else { return }
    handles[ObjectIdentifier(transfer.exchange)] = nil
    curl_multi_remove_handle(multi, easy)
    inbox.forget()
  }

  /// Without a multi handle no exchange is possible: each one fails at once, so no caller waits.
  private func refuseEverything() {
    while true {
      let orders = inbox.take()
      for exchange in orders.beginning {
        exchange.finish(.failure(.unreachable("libcurl could not be initialised.")))
        inbox.forget()
      }
      if orders.isStopping { return }
      usleep(100_000)
    }
  }
}
