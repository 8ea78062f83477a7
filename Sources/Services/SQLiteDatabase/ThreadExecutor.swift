#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A thread of its own on which an actor runs: waiting for the disk there keeps no other task from its turn.
///
/// A program makes one for each connection and hands it to the store. The thread ends when the executor is let go of,
/// after the jobs that it already has.
package final class ThreadExecutor: SerialExecutor {
  private let line: ThreadLine

  /// An executor whose thread starts at once.
  package init() {
    let line = ThreadLine()
    self.line = line
    Self.startThread { line.work() }
  }

  deinit { line.close() }

  package func enqueue(_ job: consuming ExecutorJob) {
    line.append(UnownedJob(job), for: asUnownedSerialExecutor())
  }

  package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  package func checkIsolated() {
    precondition(line.isOnItsThread, "this code must run on the thread of its executor")
  }

  private static func startThread(_ body: @escaping @Sendable () -> Void) {
    let start = Unmanaged.passRetained(ThreadStart(body))
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let code = pthread_create(
      &thread, nil,
      { argument in
        // Darwin hands a pointer over, the others an optional one.
        let pointer: UnsafeMutableRawPointer? = argument
        if let pointer { Unmanaged<ThreadStart>.fromOpaque(pointer).takeRetainedValue().body() }
        return nil
      }, start.toOpaque())
    // A process that cannot have a thread at its start has nothing left to work with.
    precondition(code == 0, "no thread could be started: error \(code)")
    #if canImport(Darwin)
      if let thread { pthread_detach(thread) }
    #else
      pthread_detach(thread)
    #endif
  }
}

/// What a new thread does first.
private final class ThreadStart: Sendable {
  let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

/// The jobs of one thread, in order of arrival.
///
/// `@unchecked Sendable`: all state is touched under the POSIX mutex, which is paired with a condition to wait on; the
/// standard library's `Mutex` has none.
private final class ThreadLine: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let arrival = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var jobs: [(job: UnownedJob, executor: UnownedSerialExecutor)] = []
  private var isClosed = false
  private var isWaiting = false
  private var thread: pthread_t?

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(arrival, nil)
  }

  deinit {
    pthread_cond_destroy(arrival)
    pthread_mutex_destroy(mutex)
    arrival.deallocate()
    mutex.deallocate()
  }

  var isOnItsThread: Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false
  }

  func append(_ job: UnownedJob, for executor: UnownedSerialExecutor) {
    pthread_mutex_lock(mutex)
    jobs.append((job, executor))
    // A thread at work looks again before it waits: only a waiting one needs the dear wake-up.
    if isWaiting { pthread_cond_signal(arrival) }
    pthread_mutex_unlock(mutex)
  }

  func close() {
    pthread_mutex_lock(mutex)
    isClosed = true
    pthread_cond_signal(arrival)
    pthread_mutex_unlock(mutex)
  }

  /// What the thread does until the line is closed and empty.
  func work() {
    var taken: [(job: UnownedJob, executor: UnownedSerialExecutor)] = []
    pthread_mutex_lock(mutex)
    thread = pthread_self()
    while true {
      while jobs.isEmpty && !isClosed {
        isWaiting = true
        pthread_cond_wait(arrival, mutex)
        isWaiting = false
      }
      if jobs.isEmpty { break }
      swap(&jobs, &taken)
      pthread_mutex_unlock(mutex)
      for (job, executor) in taken { job.runSynchronously(on: executor) }
      taken.removeAll(keepingCapacity: true)
      pthread_mutex_lock(mutex)
    }
    pthread_mutex_unlock(mutex)
  }
}
