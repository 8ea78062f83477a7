#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A separate thread for an actor, so that waiting for the disk does not block other tasks.
///
/// A program creates one for each connection and passes it to the database. When no reference to the executor is left,
/// the thread completes its remaining jobs and ends.
package final class ThreadExecutor: SerialExecutor {
  private let queue: ThreadQueue

  /// An executor; its thread starts at once.
  package init() {
    let queue = ThreadQueue()
    self.queue = queue
    Self.startThread { queue.work() }
  }

  deinit { queue.close() }

  package func enqueue(_ job: consuming ExecutorJob) {
    queue.append(UnownedJob(job), for: asUnownedSerialExecutor())
  }

  package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  package func checkIsolated() {
    precondition(queue.isOnItsThread, "this code must run on the thread of its executor")
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
        // Darwin passes a pointer, the others an optional one.
        let pointer: UnsafeMutableRawPointer? = argument
        if let pointer { Unmanaged<ThreadStart>.fromOpaque(pointer).takeRetainedValue().body() }
        return nil
      }, start.toOpaque())
    // A process that cannot create a thread at its start cannot work.
    precondition(code == 0, "no thread could be started: error \(code)")
    #if canImport(Darwin)
      if let thread { pthread_detach(thread) }
    #else
      pthread_detach(thread)
    #endif
  }
}

/// The entry point of a new thread.
private final class ThreadStart: Sendable {
  let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

/// The jobs of one thread, in order of arrival.
///
/// `@unchecked Sendable`: all state is accessed under the POSIX mutex, which has a condition to wait on; the standard
/// library's `Mutex` has none.
private final class ThreadQueue: @unchecked Sendable {
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
    // A busy thread checks the queue before it waits: only a waiting one needs the expensive wake-up.
    if isWaiting { pthread_cond_signal(arrival) }
    pthread_mutex_unlock(mutex)
  }

  func close() {
    pthread_mutex_lock(mutex)
    isClosed = true
    pthread_cond_signal(arrival)
    pthread_mutex_unlock(mutex)
  }

  /// Runs jobs until the queue is closed and empty.
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
