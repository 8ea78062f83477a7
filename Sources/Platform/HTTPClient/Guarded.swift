#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A state that one thread at a time may access, behind a POSIX mutex.
///
/// Not `Synchronization.Mutex`: on Linux the thread sanitizer does not see that one thread waits for another there. It
/// would report every state behind that mutex as a race. It knows the POSIX mutex, so it can find real races.
///
/// Unchecked: the state is accessed only in `withLock`. Only values leave it, never a reference or pointer that also
/// stays inside.
final class Guarded<State>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var state: State

  init(_ state: State) {
    self.state = state
    mutex.initialize(to: pthread_mutex_t())
    precondition(pthread_mutex_init(mutex, nil) == 0, "there is no memory for a mutex")
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func withLock<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }
}
