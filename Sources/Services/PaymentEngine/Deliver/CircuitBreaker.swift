package import PaymentPrimitives

/// Pauses a receiver that keeps failing: while open, it allows one probe at a time and one per pause.
package struct CircuitBreaker {
  private let threshold: Int
  private let pause: TimeSpan
  private let goneSpan = TimeSpan.hours(1)
  private var failures = 0
  private var openUntil: Timestamp?
  /// When the pause was set. If the present time is before it, the clock was set back, and the pause is ignored.
  private var openedAt: Timestamp?
  /// Whether the last result opened it.
  package private(set) var hasJustOpened = false

  package init(_ limits: EngineLimits) { self.init(threshold: limits.breakerThreshold, pause: limits.breakerPause) }

  /// Opens after this many consecutive errors, with this pause between probes.
  package init(threshold: Int, pause: TimeSpan) {
    self.threshold = threshold
    self.pause = pause
  }

  /// When the receiver may be called again, while it is paused.
  package func nextProbe(at now: Timestamp) -> Timestamp? {
    openUntil.map { isSetBack(at: now) ? now : $0 }
  }

  /// How many more attempts may start now.
  package func slots(inFlight: Int, most: Int, at now: Timestamp) -> Int {
    guard let openUntil else { return max(0, most - inFlight) }
    return (now >= openUntil || isSetBack(at: now)) && inFlight == 0 ? 1 : 0
  }

  /// Records the start of an attempt. While open, it is the probe: whatever its result, the next one is a pause away.
  package mutating func starts(at now: Timestamp) {
    if openUntil != nil { open(for: pause, at: now) }
  }

  mutating func note(_ result: AttemptResult, at now: Timestamp) {
    hasJustOpened = false
    if result.isAcknowledged {
      succeeded()
    } else if result.isReceiversFault {
      failed(at: now, isGone: result.isGone)
    }
  }

  /// Records a good answer of the receiver.
  package mutating func succeeded() {
    hasJustOpened = false
    failures = 0
    openUntil = nil
  }

  package mutating func failed(at now: Timestamp, isGone: Bool = false) {
    let wasOpen = openUntil != nil
    failures += 1
    if isGone {
      open(for: goneSpan, at: now)
    } else if failures >= threshold {
      open(for: pause, at: now)
    }
    hasJustOpened = openUntil != nil && !wasOpen
  }

  private mutating func open(for span: TimeSpan, at now: Timestamp) {
    openUntil = now + span
    openedAt = now
  }

  private func isSetBack(at now: Timestamp) -> Bool { openedAt.map { now < $0 } ?? false }
}
