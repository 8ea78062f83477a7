import PaymentDatabase
import PaymentPrimitives

// A machine may start with a clock that stands hours ahead, and set it right later. What was planned meanwhile lies in
// the future then: a delivery that was due at once waits for hours, a lease of a dead worker too. So when the clock
// stands before the latest moment at which anything was written, all that waits is done now. Nothing is lost by that:
// an attempt too early is an attempt more.
extension PaymentEngine {
  /// How far a clock may be set back without anybody noticing: nothing waits longer for that.
  static let clockSlack = TimeSpan.seconds(5)
  /// Rows of one kind that are changed in one transaction: small enough not to hold others up.
  static let bringForwardBatch = 500

  /// Looks after clock and database until the task is cancelled, from the start on.
  func keepWatch() async {
    repeat {
      do { try await checkClock() } catch is CancellationError { return } catch {
        log(LogEvent(.error, "clock.notChecked", [("error", "\(error)")]))
      }
      // A full disk is found to have room again, though nobody asks.
      if health.cause != nil { try? await checkReadiness() }
    } while (try? await surroundings.sleep(limits.watchInterval)) != nil && !Task.isCancelled
  }

  /// Does what is to be done when the clock was set back.
  func checkClock() async throws {
    if clock.latest == nil, let kept = try await read({ try ClockMark.read($0) }) { clock.noteCommit(kept) }
    let now = surroundings.now()
    guard let latest = clock.latest, now + Self.clockSlack < latest else { return }
    log(
      LogEvent(
        .warning, "clock.setBack",
        [("milliseconds", "\((latest - now).milliseconds)"), ("from", latest.iso8601), ("to", now.iso8601)]))
    metrics.count("counterfoil_clock_set_back_total")
    var count = 0
    for work in waitingWork { count += try await bringForward(work) }
    // These are tried whenever their next attempt was planned.
    count += try await retryStoppedChanges().tried
    // Last: a kill before it begins anew.
    try await transact { try $0.set(ClockMark.setting, to: "\($0.now.milliseconds)") }
    clock.reset(to: surroundings.now())
    log(LogEvent(.info, "clock.workBroughtForward", [("count", "\(count)")]))
    await ringAll()
  }

  private var waitingWork: [WaitingWork] {
    let realms = apps.all.flatMap { app in
      ([app.home] + app.twinEnvironments).map { AppEnvironment(app: app.id, environment: $0) }
    }
    return realms.map(WaitingWork.deliveries) + apps.all.map { .forwards($0.id) }
      + [.orderQuestions, .refundQuestions, .appStoreTasks] + realms.map(WaitingWork.histories)
      + realms.map(WaitingWork.lines)
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

  private func ringAll() async {
    for app in apps.all {
      for environment in [app.home] + app.twinEnvironments {
        await deliveryBell.ring(for: AppEnvironment(app: app.id, environment: environment))
      }
      await forwardBell.ring(for: app.id)
    }
    for questions in 0...1 { await storeBell.ring(for: questions) }
  }
}
