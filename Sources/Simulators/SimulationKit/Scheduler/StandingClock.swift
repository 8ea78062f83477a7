package import PaymentPrimitives
import Synchronization

/// A clock that stands still until a test moves it: for code that needs a time and no simulated world.
package final class StandingClock: Sendable {
  private let moment: Mutex<Timestamp>

  /// A clock that shows that moment.
  package init(_ moment: Timestamp = SimulatedWorld.beginning) { self.moment = Mutex(moment) }

  package var now: Timestamp { moment.withLock { $0 } }

  /// Advances it by a span; a negative span moves it back.
  package func advance(by span: TimeSpan) { moment.withLock { $0 = $0 + span } }
}
