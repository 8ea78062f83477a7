/// Owns every task that outlives the call that began it: all are children of the one task that runs `run`.
///
/// So nothing is detached, and cancelling that task cancels everything. A caller that stops waiting stops nothing
/// else. Long work that ignores cancellation (a payment sheet) delays only the end of `run`.
actor BackgroundTasks {
  typealias Job = @Sendable () async -> Void

  private enum Turn: Sendable {
    case begin(Job)
    case ended
    case stop
  }

  /// Jobs that were added and not begun. Their number has no bound: each is for one transaction of the store's queue,
  /// one tap or one call, and an in-flight table joins those for the same purpose.
  private var waiting: [Job] = []
  private var bell: OneShotPromise<Void>?
  private var isStopping = false

  /// Begins jobs as they are added; returns when its task is cancelled or `stop` is called, and all jobs have ended.
  func run() async {
    await withTaskGroup(of: Turn.self) { group in
      group.addTask { await self.next() }
      // Each child leaves the group as it ends: the group does not grow with the finished jobs.
      while let turn = await group.next() {
        switch turn {
        case .begin(let job):
          group.addTask {
            await job()
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
    bell?.resolve(())
  }

  /// Ends `run`; has an effect only while it runs.
  func stop() {
    isStopping = true
    bell?.resolve(())
  }

  private func next() async -> Turn {
    while waiting.isEmpty {
      if isStopping || Task.isCancelled { return .stop }
      let bell = OneShotPromise<Void>()
      self.bell = bell
      _ = await bell.value()
    }
    return isStopping || Task.isCancelled ? .stop : .begin(waiting.removeFirst())
  }
}
