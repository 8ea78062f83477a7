import PaymentPrimitives

/// Owns every task that outlives the call that began it: all are children of the one task that runs `run`.
///
/// So nothing is detached, and cancelling that task cancels everything. A caller that stops waiting stops nothing
/// else. Work that ignores cancellation delays the end of its own run alone: a stop takes effect at once, and the next
/// run begins beside it.
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
  /// The number of the last run that was stopped; no run with this number or a lower one begins a job.
  private var lastStopped = 0
  /// Jobs of a stopped run that had not begun. They run as cancelled ones, because some of them end a wait.
  private var leftOver: [Int: [Job]] = [:]

  init(_ dependencies: Dependencies) { self.dependencies = dependencies }

  /// Begins jobs as they are added; returns when its task is cancelled or the run is stopped, and all its jobs have
  /// ended.
  ///
  /// - Parameters:
  ///   - number: the number of the run; each is higher than the one before.
  ///   - first: the jobs that each run begins with.
  func run(_ number: Int, for client: Purchasing, beginningWith first: [Job]) async {
    guard number > lastStopped else {
      // It was stopped before it began.
      waiting = (leftOver.removeValue(forKey: number) ?? []) + waiting
      return
    }
    waiting += first
    await withTaskGroup(of: Turn.self) { group in
      group.addTask { await self.next(in: number) }
      // Each child leaves the group as it ends: the group does not grow with the finished jobs.
      while let turn = await group.next() {
        switch turn {
        case .begin(let job):
          group.addTask {
            await job(client)
            return .ended
          }
          group.addTask { await self.next(in: number) }
        case .ended:
          break
        case .stop:
          stop(number)
          group.cancelAll()
          for job in leftOver.removeValue(forKey: number) ?? [] {
            group.addTask {
              await job(client)
              return .ended
            }
          }
          await client.runHasStopped(number)
        }
      }
    }
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

  /// Asks the store's queue or the app, and waits at most for the given time. Then the call is cancelled: a call that
  /// hangs does not stay here, because a queue returns when it is cancelled.
  ///
  /// - Returns: nil if the time ended first.
  nonisolated(nonsending) func asking<Value: Sendable>(
    _ span: TimeSpan, _ call: @escaping @Sendable (Purchasing) async -> Value
  ) async -> Value? {
    let (done, waitIsOver) = (OneShotPromise<Value>(), OneShotPromise<Void>())
    await add { client in
      await withTaskGroup(of: Void.self) { group in
        group.addTask { done.resolve(await call(client)) }
        group.addTask { _ = await waitIsOver.value() }
        await group.next()
        group.cancelAll()
      }
    }
    let answer = await dependencies.limited(to: span) { await done.value() } ?? nil
    waitIsOver.resolve(())
    return answer
  }

  /// Stops the run with this number, and each earlier one: it begins no further job.
  func stop(_ number: Int) {
    guard number > lastStopped else { return }
    lastStopped = number
    leftOver[number] = waiting
    waiting = []
    signal?.resolve(())
  }

  private func next(in number: Int) async -> Turn {
    while number > lastStopped, !Task.isCancelled, waiting.isEmpty {
      let signal = OneShotPromise<Void>()
      self.signal = signal
      _ = await signal.value()
    }
    return number <= lastStopped || Task.isCancelled ? .stop : .begin(waiting.removeFirst())
  }
}
