import PaymentPrimitives
import SimulatorCore

/// When a notification is retried: Apple's rules, with the behaviour settings that change them.
enum NotificationSchedule {
  /// Rule AS-NOTE-3: the delay between an attempt and the next one. After five retries the notification is given up.
  static let delays: [TimeSpan] = [.hours(1), .hours(12), .hours(24), .hours(48), .hours(72)]

  /// Rule AS-NOTE-1: these statuses mean that the server accepted it.
  static let successes = 200...206

  /// The state after an attempt.
  ///
  /// - Parameter attempts: all attempts so far, this one last.
  static func state(
    after attempts: [SimulatedNotification.Attempt], in environment: SimulatedEnvironment,
    _ behaviours: BehaviourValues<SimulatorBehaviour>
  ) -> SimulatedNotification.State {
    guard let last = attempts.last else { return .neverSent }
    if last.result == .success { return .delivered }
    let repeats = environment == .production || behaviours.isOn(.retryInSandbox)
    let isFinal = last.status == 400 && !behaviours.isOn(.retryAfter400)
    guard repeats, !isFinal, attempts.count <= delays.count else { return .givenUp }
    return .waiting(until: last.date + delays[attempts.count - 1])
  }
}
