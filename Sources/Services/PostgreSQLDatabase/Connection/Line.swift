import CPostgreSQL
import PaymentDatabase
import PaymentPrimitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The line to one server: an open libpq handle that never waits without a deadline.
///
/// It belongs to one actor; two threads never use it at once.
final class Line {
  private(set) var handle: OpaquePointer?
  private let monotonicNanoseconds: @Sendable () -> UInt64
  private let notices = Notices()

  /// What the server said beside its results.
  private final class Notices {
    var count = 0
  }

  /// Connects to a server.
  ///
  /// - Throws: `CodedError<DatabaseErrorCode>`.
  init(
    to host: ServerAddress.Host, within span: TimeSpan, monotonicNanoseconds: @escaping @Sendable () -> UInt64
  ) throws {
    self.monotonicNanoseconds = monotonicNanoseconds
    handle = Self.start(host.options)
    do {
      // In this form the server's part of a message is its SQLSTATE alone, in no human language.
      PQsetErrorVerbosity(handle, PQERRORS_SQLSTATE)
      PQsetNoticeReceiver(
        handle,
        { context, _ in
          if let context { Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue().count += 1 }
        }, Unmanaged.passUnretained(notices).toOpaque())
      try finishOpening(host.name, deadline: deadline(in: span))
    } catch {
      close()
      throw error
    }
  }

  deinit { close() }

  /// Closes the line; what the server is doing for it ends without a commit, unless COMMIT was sent.
  func close() {
    PQfinish(handle)
    handle = nil
  }

  /// Whether the server has ended the line, as far as is known here.
  var isLost: Bool { handle == nil || PQstatus(handle) != CONNECTION_OK }

  /// How many notices and warnings have come.
  var noticeCount: Int { notices.count }

  // MARK: Opening

  private static func start(_ options: [String: String]) -> OpaquePointer? {
    let pairs = options.sorted { $0.key < $1.key }
    var keywords = pairs.map { strdup($0.key) as UnsafeMutablePointer<CChar>? } + [nil]
    var values = pairs.map { strdup($0.value) as UnsafeMutablePointer<CChar>? } + [nil]
    defer { for text in keywords + values { free(text) } }
    return keywords.withUnsafeMutableBufferPointer { keywords in
      values.withUnsafeMutableBufferPointer { values in
        keywords.withMemoryRebound(to: UnsafePointer<CChar>?.self) { keywords in
          values.withMemoryRebound(to: UnsafePointer<CChar>?.self) { values in
            PQconnectStartParams(keywords.baseAddress, values.baseAddress, 0)
          }
        }
      }
    }
  }

  private func finishOpening(_ name: String, deadline: UInt64) throws {
    guard let handle else { throw CodedError<DatabaseErrorCode>(.unavailable, "There is no memory for a connection.") }
    var status = PGRES_POLLING_WRITING
    if PQstatus(handle) == CONNECTION_BAD { throw refusal(name) }
    while true {
      switch status {
      case PGRES_POLLING_OK:
        guard PQsetnonblocking(handle, 1) == 0 else { throw refusal(name) }
        return
      case PGRES_POLLING_READING: try wait(for: Int16(POLLIN), deadline: deadline, openingTo: name)
      case PGRES_POLLING_WRITING: try wait(for: Int16(POLLOUT), deadline: deadline, openingTo: name)
      default: throw refusal(name)
      }
      status = PQconnectPoll(handle)
    }
  }

  private func wait(for events: Int16, deadline: UInt64, openingTo name: String) throws {
    guard try wait(for: events, deadline: deadline) else {
      throw CodedError<DatabaseErrorCode>(.unavailable, "PostgreSQL at \(name) does not answer in time.")
    }
  }

  private func refusal(_ name: String) -> CodedError<DatabaseErrorCode> {
    ConnectionRefusal(PQerrorMessage(handle).map { String(cString: $0) } ?? "").error(at: name)
  }

  // MARK: Waiting

  /// Blocks the thread, which belongs to this line alone.
  static func pause(_ span: TimeSpan) { _ = poll(nil, 0, Int32(clamping: span.milliseconds)) }

  /// The moment after a span, on the clock that only goes forward.
  var now: UInt64 { monotonicNanoseconds() }

  func deadline(in span: TimeSpan) -> UInt64 {
    now + UInt64(max(0, span.milliseconds)) * 1_000_000
  }

  /// What other sessions sent on the channels that this one listens to; waits for the first of them until the
  /// deadline.
  func hear(until deadline: UInt64) throws -> [String] {
    var texts = notifications()
    if texts.isEmpty, try wait(for: Int16(POLLIN), deadline: deadline) {
      guard PQconsumeInput(handle) == 1 else { throw PostgreSQLFailure(lost: "it was closed") }
      texts = notifications()
    }
    return texts
  }

  private func notifications() -> [String] {
    var texts: [String] = []
    while let notification = PQnotifies(handle) {
      texts.append(String(cString: notification.pointee.extra))
      PQfreemem(notification)
    }
    return texts
  }

  /// Sends what waits and receives what has come, until `isReady` says that enough has.
  func exchange(until deadline: UInt64, _ isReady: () -> Bool) throws {
    while true {
      let unsent = PQflush(handle)
      guard unsent >= 0 else { throw PostgreSQLFailure(lost: "it could not be written") }
      if unsent == 0, isReady() { return }
      let events = Int16(POLLIN) | (unsent == 1 ? Int16(POLLOUT) : 0)
      guard try wait(for: events, deadline: deadline) else {
        throw PostgreSQLFailure(lost: "no answer came in time")
      }
      guard PQconsumeInput(handle) == 1 else { throw PostgreSQLFailure(lost: "it was closed") }
    }
  }

  /// - Returns: false if the deadline has passed.
  private func wait(for events: Int16, deadline: UInt64) throws -> Bool {
    while true {
      let now = monotonicNanoseconds()
      guard now < deadline else { return false }
      var socket = pollfd(fd: PQsocket(handle), events: events, revents: 0)
      guard socket.fd >= 0 else { throw PostgreSQLFailure(lost: "it was closed") }
      let milliseconds = min((deadline - now) / 1_000_000 + 1, 60_000)
      let count = poll(&socket, 1, Int32(milliseconds))
      if count > 0 { return true }
      guard count == 0 || errno == EINTR else { throw PostgreSQLFailure(lost: "it cannot be waited for") }
    }
  }
}
