#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A state that one thread at a time may touch, behind a mutex of POSIX.
///
/// Not `Synchronization.Mutex`: where two threads meet at that one, the thread sanitizer does not see on Linux that one
/// waits for the other, and would report every state behind it as a race. This one it knows, and so it can find the
/// real ones.
///
/// Unchecked: the state is touched nowhere but in `withLock`. What leaves it there are values, and never a reference or
/// pointer that stays behind as well.
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
