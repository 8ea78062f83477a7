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
    let ends = PipeThread.pipe()
    // Initialises both atomics here, so that the signal handler is never the first to access them.
    SignalState.count.store(0, ordering: .sequentiallyConsistent)
    SignalState.pipe.store(ends.write, ordering: .sequentiallyConsistent)
    let (stream, continuation) = AsyncStream.makeStream(of: ShutdownSignal.self)
    let thread = PipeThread(descriptor: ends.read) { byte in
      if let signal = ShutdownSignal(rawValue: Int32(byte)) { continuation.yield(signal) }
      continuation.finish()
    }
    precondition(thread.start(), "no thread can be started at the start of the program")
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
