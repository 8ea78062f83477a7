import PaymentPrimitives

/// Owns every task that outlives the call that began it: all are children of the one task that runs `run`.
///
/// So nothing is detached, and cancelling that task cancels everything. A caller that stops waiting stops nothing
/// else. Long work that ignores cancellation (a payment sheet) delays only the end of `run`.
actor BackgroundTasks {
  /// Work for a client. It begins on no actor: `Purchasing.isolated` brings it to the parts of the client.
  typealias Job = @Sendable (Purchasing) async -> Void

  private enum Turn: Sendable {
    case begin(Job)
    case ended
    case stop
  }

  private let dependencies: Dependencies
  /// Jobs that were added and not begun. Their number has no bound: each is for one transaction of the store's queue,
  /// one tap or one call, and an in-flight table joins those for the same purpose.
  private var waiting: [Job] = []
  private var signal: OneShotPromise<Void>?
  private var isStopping = false

  init(_ dependencies: Dependencies) { self.dependencies = dependencies }

  /// Begins jobs as they are added; returns when its task is cancelled or `stop` is called, and all jobs have ended.
  func run(for client: Purchasing) async {
    await withTaskGroup(of: Turn.self) { group in
      group.addTask { await self.next() }
      // Each child leaves the group as it ends: the group does not grow with the finished jobs.
      while let turn = await group.next() {
        switch turn {
        case .begin(let job):
          group.addTask {
            await job(client)
            return .ended
          }
          group.addTask { await self.next() }
        case .ended:
          break
        case .stop:
          isStopping = true
          group.cancelAll()
        }
      }
    }
    waiting = []
    isStopping = false
  }

  /// Adds a job; it begins soon, or when `run` does.
  func add(_ job: @escaping Job) {
    waiting.append(job)
    signal?.resolve(())
  }

  /// Adds a job that works with the parts of the client, on the client's actor.
  func addIsolated(_ job: @escaping @Sendable (isolated Purchasing) async -> Void) {
    add { await job($0) }
  }

  /// Adds a job that begins after a pause, also when the pause was cut short by cancellation.
  func addIsolated(after pause: TimeSpan, _ job: @escaping @Sendable (isolated Purchasing) async -> Void) {
    let dependencies = self.dependencies
    add { client in
      try? await dependencies.sleep(pause)
      await job(client)
    }
  }

  /// Runs work that may ignore cancellation, or never end, and waits for it at most for the given time.
  ///
  /// - Returns: nil if the time ended first; the work goes on as a background task.
  nonisolated(nonsending) func bounded<Value: Sendable>(
    _ span: TimeSpan, _ work: @escaping @Sendable (Purchasing) async -> Value
  ) async -> Value? {
    let done = OneShotPromise<Value>()
    await add { done.resolve(await work($0)) }
    return await dependencies.limited(to: span) { await done.value() } ?? nil
  }

  /// Ends `run`; has an effect only while it runs.
  func stop() {
    isStopping = true
    signal?.resolve(())
  }

  private func next() async -> Turn {
    while waiting.isEmpty {
      if isStopping || Task.isCancelled { return .stop }
      let signal = OneShotPromise<Void>()
      self.signal = signal
      _ = await signal.value()
    }
    return isStopping || Task.isCancelled ? .stop : .begin(waiting.removeFirst())
  }
}
