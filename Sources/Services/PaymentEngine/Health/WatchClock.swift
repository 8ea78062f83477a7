import PaymentDatabase
import PaymentPrimitives

// A machine may start with a clock that is hours ahead, and correct it later. Times planned meanwhile are then in the
// future: a due delivery waits for hours, and so does the lease of a killed worker. So if the time is before the
// latest written time, all waiting work is done now. This loses nothing: an early attempt is only one attempt more.
extension PaymentEngine {
  /// A clock set back by no more than this is ignored: no work waits longer than that.
  static let clockSlack = TimeSpan.seconds(5)
  /// Rows of one kind changed in one transaction: few enough not to delay other transactions.
  static let bringForwardBatch = 500

  /// Watches the clock and the database from start until the task is cancelled.
  func keepWatch() async {
    repeat {
      do { try await checkClock() } catch is CancellationError { return } catch {
        log(LogEvent(.error, "clock.notChecked", [("error", "\(error)")]))
      }
      // Detects that a full disk has room again, even without a request.
      if health.cause != nil { try? await checkReadiness() }
    } while (try? await dependencies.sleep(limits.watchInterval)) != nil && !Task.isCancelled
  }

  /// Brings waiting work forward if the clock was set back.
  func checkClock() async throws {
    if clock.latest == nil, let kept = try await read({ try ClockMark.read($0) }) { clock.noteCommit(kept) }
    let now = now
    guard let latest = clock.latest, now + Self.clockSlack < latest else { return }
    log(
      LogEvent(
        .warning, "clock.setBack",
        [("milliseconds", "\((latest - now).milliseconds)"), ("from", latest.iso8601), ("to", now.iso8601)]))
    metrics.count(.clockSetBackTotal)
    var count = 0
    for work in waitingWork { count += try await bringForward(work) }
    // Stopped changes are retried whatever time was planned.
    count += try await retryStoppedChanges().tried
    // This comes last: if the process ends earlier, the work starts again.
    try await transact { try $0.set(ClockMark.setting, to: "\($0.now.milliseconds)") }
    clock.reset(to: self.now)
    log(LogEvent(.info, "clock.workBroughtForward", [("count", "\(count)")]))
    await signalAll()
  }

  private var waitingWork: [WaitingWork] {
    let appEnvironments = apps.all.flatMap { app in
      ([app.home] + app.counterpartEnvironments).map { AppEnvironment(app: app.id, environment: $0) }
    }
    return appEnvironments.map(WaitingWork.deliveries) + apps.all.map { .forwards($0.id) }
      + [.orderQuestions, .refundQuestions, .appStoreTasks] + appEnvironments.map(WaitingWork.histories)
      + appEnvironments.map(WaitingWork.subscriptions)
  }

  private func bringForward(_ work: WaitingWork) async throws -> Int {
    let limit = Self.bringForwardBatch
    var count = 0
    while true {
      let changed = try await transact { try $0.bringForward(work, limit: limit) }
      count += changed
      if changed < limit { return count }
    }
  }

  private func signalAll() async {
    for app in apps.all {
      for environment in [app.home] + app.counterpartEnvironments {
        await deliverySignal.signal(for: AppEnvironment(app: app.id, environment: environment))
      }
      await forwardSignal.signal(for: app.id)
    }
    for store in stores { await storeSignal.signal(for: store.store) }
  }
}
