import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Receives `SIGHUP`: a service manager's request to read the configuration again.
package enum ReloadSignals {
  private static let isListening = Atomic<Bool>(false)
  /// The only state that the signal handler may access.
  fileprivate static let pipe = Atomic<Int32>(-1)

  /// Each signal becomes an element of this stream; several that arrive together may become one. Call it once in a
  /// process. Before the call a `SIGHUP` ends the process.
  package static func received() -> AsyncStream<Void> {
    let isFirst = isListening.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged
    precondition(isFirst, "reload signals are taken once in a process")
    let ends = PipeThread.pipe()
    // A full pipe says already that there is something to do; the handler must never wait.
    _ = fcntl(ends.write, F_SETFL, O_NONBLOCK)
    pipe.store(ends.write, ordering: .sequentiallyConsistent)
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let thread = PipeThread(descriptor: ends.read) { _ in continuation.yield() }
    precondition(thread.start(), "no thread can be started at the start of the program")
    _ = signal(SIGHUP, reloadArrived)
    return stream
  }
}

/// Interrupts a thread at any point: it may call only async-signal-safe functions (POSIX).
private func reloadArrived(_ number: Int32) {
  let before = errno
  var byte: UInt8 = 1
  _ = write(ReloadSignals.pipe.load(ordering: .relaxed), &byte, 1)
  errno = before
}
