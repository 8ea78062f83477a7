/// The doors to time and chance: the only way in which server, client and simulators learn what time it is, make
/// something random or wait. A program hands in the real ones, a simulated world hands in seeded ones, so that a run
/// can be repeated.
public struct Dependencies: Sendable {
  /// The present moment by the wall clock.
  public var now: @Sendable () -> Timestamp
  /// That many unpredictable bytes.
  public var randomBytes: @Sendable (_ count: Int) -> [UInt8]
  /// Waits that long; throws `CancellationError` when the task is cancelled while it waits.
  public var sleep: @Sendable (_ span: TimeSpan) async throws -> Void

  /// Surroundings from their three doors.
  public init(
    now: @escaping @Sendable () -> Timestamp,
    randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8],
    sleep: @escaping @Sendable (_ span: TimeSpan) async throws -> Void
  ) {
    self.now = now
    self.randomBytes = randomBytes
    self.sleep = sleep
  }
}

extension Dependencies {
  /// A new order id for this moment.
  public func makeOrderIdentifier() -> OrderIdentifier {
    OrderIdentifier(version7At: now(), random: randomBytes(10))
  }

  /// A number from 0 up to, not including, `bound`, every one as likely as the next; 0 for a bound of 0.
  public func randomNumber(below bound: UInt64) -> UInt64 {
    guard bound > 1 else { return 0 }
    // Numbers above the last whole multiple of the bound would favour the small ones: they are drawn again.
    let limit = UInt64.max - UInt64.max % bound
    while true {
      let number = randomBytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      if number < limit { return number % bound }
    }
  }

  /// Each use fails loudly: for code that should need neither time nor chance.
  public static let refusing = Dependencies(
    now: { preconditionFailure("this code must not ask what time it is") },
    randomBytes: { _ in preconditionFailure("this code must not ask for anything random") },
    sleep: { _ in preconditionFailure("this code must not wait") })
}
