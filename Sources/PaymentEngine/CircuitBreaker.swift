import PaymentVocabulary

/// Leaves a receiver alone that keeps failing: while it is open, one probe at a time and one per pause.
struct CircuitBreaker {
  private let threshold: Int
  private let pause: TimeSpan
  private let goneSpan = TimeSpan.hours(1)
  private var failures = 0
  private var openUntil: Timestamp?
  /// Whether the last note opened it.
  private(set) var hasJustOpened = false

  init(_ limits: EngineLimits) {
    threshold = limits.breakerThreshold
    pause = limits.breakerPause
  }

  /// When the receiver may be asked again, while it is left alone.
  var nextProbe: Timestamp? { openUntil }

  /// How many more attempts may start now.
  func slots(inFlight: Int, most: Int, at now: Timestamp) -> Int {
    guard let openUntil else { return max(0, most - inFlight) }
    return now >= openUntil && inFlight == 0 ? 1 : 0
  }

  mutating func note(_ result: AttemptResult, at now: Timestamp) {
    let wasOpen = openUntil != nil
    hasJustOpened = false
    if result.isAcknowledged {
      failures = 0
      openUntil = nil
      return
    }
    guard result.isReceiversFault else { return }
    failures += 1
    if result.isGone {
      openUntil = now + goneSpan
    } else if failures >= threshold {
      openUntil = now + pause
    }
    hasJustOpened = openUntil != nil && !wasOpen
  }
}
