package import PaymentPrimitives
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Looks names of servers up, each on a thread of its own that is left behind if no answer comes in time.
///
/// The system's look-up has no deadline, and libpq waits for it: with a dead name server for half a minute, while
/// everything that needs a connection waits.
package enum NameLookup {
  /// The look-ups under way: whoever asks for the same name waits for the same thread.
  private static let underWay = Mutex<[String: Question]>([:])

  /// - Parameter resolve: gives the addresses of a name, none if it has none. Tests pass their own.
  /// - Returns: the addresses; nil if they did not come in time.
  package static func addresses(
    of name: String, within span: TimeSpan, by resolve: @escaping @Sendable (String) -> [String] = Self.system
  ) -> [String]? {
    let (question, isNew) = underWay.withLock { underWay -> (Question, Bool) in
      if let question = underWay[name] { return (question, false) }
      let question = Question { resolve(name) }
      underWay[name] = question
      return (question, true)
    }
    if isNew, !question.start({ underWay.withLock { $0[name] = nil } }) {
      underWay.withLock { $0[name] = nil }
      return nil
    }
    return question.answer(within: span)
  }

  /// The system's own look-up, in the order in which the system prefers the addresses.
  @Sendable package static func system(_ name: String) -> [String] {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = streamSocket
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(name, nil, &hints, &found) == 0 else { return [] }
    defer { freeaddrinfo(found) }
    var addresses: [String] = []
    var next = found
    while let entry = next {
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let length = socklen_t(text.count)
      if getnameinfo(entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, length, nil, 0, NI_NUMERICHOST) == 0 {
        addresses.append(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
      }
      next = entry.pointee.ai_next
    }
    return addresses
  }

  private static var streamSocket: Int32 {
    #if canImport(Glibc)
      Int32(SOCK_STREAM.rawValue)
    #else
      SOCK_STREAM
    #endif
  }
}

/// One look-up. Its thread keeps it alive, also when nobody waits any more.
private final class Question: Sendable {
  private let resolve: @Sendable () -> [String]
  private let found = Mutex<[String]?>(nil)
  private let ended = Mutex<(@Sendable () -> Void)?>(nil)
  /// A pipe whose first byte says that the answer is there; the byte is never read, so that it wakes everybody.
  private let pipe: (reading: Int32, writing: Int32)?

  init(_ resolve: @escaping @Sendable () -> [String]) {
    self.resolve = resolve
    var ends: [Int32] = [0, 0]
    pipe = Self.open(&ends) ? (ends[0], ends[1]) : nil
  }

  deinit {
    guard let pipe else { return }
    close(pipe.reading)
    close(pipe.writing)
  }

  private static func open(_ ends: inout [Int32]) -> Bool {
    #if canImport(Glibc)
      let code = Glibc.pipe(&ends)
    #elseif canImport(Musl)
      let code = Musl.pipe(&ends)
    #else
      let code = Darwin.pipe(&ends)
    #endif
    guard code == 0 else { return false }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return true
  }

  /// - Parameter end: what is to be done when the answer is there.
  /// - Returns: whether a thread could be started.
  func start(_ end: @escaping @Sendable () -> Void) -> Bool {
    guard pipe != nil else { return false }
    ended.withLock { $0 = end }
    let context = Unmanaged.passRetained(self)
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    guard pthread_create(&thread, nil, runQuestion, context.toOpaque()) == 0 else {
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

  fileprivate func run() {
    let addresses = resolve()
    found.withLock { $0 = addresses }
    ended.withLock { $0 }?()
    var byte: UInt8 = 1
    if let pipe { _ = write(pipe.writing, &byte, 1) }
  }

  func answer(within span: TimeSpan) -> [String]? {
    guard let pipe else { return nil }
    var entry = pollfd(fd: pipe.reading, events: Int16(POLLIN), revents: 0)
    while poll(&entry, 1, Int32(clamping: span.milliseconds)) < 0, errno == EINTR {}
    return found.withLock { $0 }
  }
}

#if canImport(Darwin)
  private func runQuestion(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<Question>.fromOpaque(context).takeRetainedValue().run()
    return nil
  }
#else
  private func runQuestion(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context { Unmanaged<Question>.fromOpaque(context).takeRetainedValue().run() }
    return nil
  }
#endif
