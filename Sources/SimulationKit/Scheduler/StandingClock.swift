public import PaymentVocabulary
import Synchronization

/// A clock that stands still until a test moves it: for machines that need a moment and no simulated world.
public final class StandingClock: Sendable {
  private let moment: Mutex<Timestamp>

  /// A clock that shows that moment.
  public init(_ moment: Timestamp = SimulatedWorld.beginning) { self.moment = Mutex(moment) }

  /// The moment that it shows.
  public var now: Timestamp { moment.withLock { $0 } }

  /// Moves it on by a span; back by a negative one.
  public func advance(by span: TimeSpan) { moment.withLock { $0 = $0 + span } }
}
