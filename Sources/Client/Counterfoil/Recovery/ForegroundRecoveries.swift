import PaymentPrimitives

/// The recoveries that began because the app came to the foreground.
struct ForegroundRecoveries {
  /// What follows from one more return to the foreground.
  enum Entry {
    /// A recovery begins.
    case begins
    /// One is running: its report is this one's too.
    case joins(OneShotPromise<RecoveryReport>)
    /// One has just found everything complete.
    case rests
  }

  private var began: Timestamp?
  private var isRunning = false
  private var wasComplete = false
  private var waiting: [OneShotPromise<RecoveryReport>] = []

  mutating func enter(at now: Timestamp, pause: TimeSpan) -> Entry {
    if isRunning {
      let promise = OneShotPromise<RecoveryReport>()
      waiting.append(promise)
      return .joins(promise)
    }
    // A clock that was set back does not extend the pause.
    if let began, wasComplete, began <= now, now - began < pause { return .rests }
    (began, isRunning) = (now, true)
    return .begins
  }

  mutating func end(with report: RecoveryReport) {
    (isRunning, wasComplete) = (false, report.isComplete)
    for promise in waiting { promise.resolve(report) }
    waiting = []
  }
}
