import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A signal of the operator or the system that asks this process to end.
package enum ShutdownSignal: Int32, CaseIterable, Sendable {
  /// Ctrl-C: `SIGINT`.
  case interrupt = 2
  /// The signal of a service manager: `SIGTERM`.
  case terminate = 15

  /// The exit status of a process that a signal has ended, by the shell's convention.
  package var exitStatus: Int32 { 128 + rawValue }
}

/// Receives `SIGINT` and `SIGTERM` from the system.
package enum ShutdownSignals {
  /// The first of these signals becomes an element of this stream, which then ends. A second signal ends the process at
  /// once: a user who presses Ctrl-C again does not want to wait for the drain.
  ///
  /// Call it once in a process, before anything needs a drain.
  package static func received() -> AsyncStream<ShutdownSignal> {
    let isFirst = SignalState.isListening.compareExchange(
      expected: false, desired: true, ordering: .relaxed
    ).exchanged
    precondition(isFirst, "shutdown signals are taken once in a process")
    var ends: [Int32] = [-1, -1]
    precondition(pipe(&ends) == 0, "no descriptors are left at the start of the program")
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // Initialises both atomics here, so that the signal handler is never the first to access them.
    SignalState.count.store(0, ordering: .sequentiallyConsistent)
    SignalState.pipe.store(ends[1], ordering: .sequentiallyConsistent)
    let (stream, continuation) = AsyncStream.makeStream(of: ShutdownSignal.self)
    let listener = SignalListener(descriptor: ends[0], continuation: continuation)
    precondition(listener.start(), "no thread can be started at the start of the program")
    for kind in ShutdownSignal.allCases { _ = signal(kind.rawValue, signalArrived) }
    return stream
  }
}

/// The only state that the signal handler may access: numbers without locks.
private enum SignalState {
  static let isListening = Atomic<Bool>(false)
  static let count = Atomic<Int>(0)
  static let pipe = Atomic<Int32>(-1)
}

/// Interrupts a thread at any point: it may call only async-signal-safe functions (POSIX).
private func signalArrived(_ number: Int32) {
  guard SignalState.count.wrappingAdd(1, ordering: .relaxed).oldValue == 0 else {
    _exit(128 + number)
  }
  let before = errno
  var byte = UInt8(truncatingIfNeeded: number)
  _ = write(SignalState.pipe.load(ordering: .relaxed), &byte, 1)
  errno = before
}

/// A thread that waits for the handler to write into the pipe.
private final class SignalListener: Sendable {
  private let descriptor: Int32
  private let continuation: AsyncStream<ShutdownSignal>.Continuation

  init(descriptor: Int32, continuation: AsyncStream<ShutdownSignal>.Continuation) {
    self.descriptor = descriptor
    self.continuation = continuation
  }

  func start() -> Bool {
    let context = Unmanaged.passRetained(self)
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let result = pthread_create(&thread, nil, listen, context.toOpaque())
    guard result == 0 else {
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

  func wait() {
    var byte: UInt8 = 0
    while read(descriptor, &byte, 1) < 0, errno == EINTR {}
    if let signal = ShutdownSignal(rawValue: Int32(byte)) { continuation.yield(signal) }
    continuation.finish()
  }
}

#if canImport(Darwin)
  private func listen(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<SignalListener>.fromOpaque(context).takeRetainedValue().wait()
    return nil
  }
#else
  private func listen(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<SignalListener>.fromOpaque(context).takeRetainedValue().wait()
    return nil
  }
#endif
