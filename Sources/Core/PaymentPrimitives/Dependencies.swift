/// The only source of time, randomness and waiting for server, client and simulators.
///
/// A program passes in the real implementations. A simulation passes in seeded ones, so that a run can be repeated.
public struct Dependencies: Sendable {
  /// The current time by the wall clock.
  public var now: @Sendable () -> Timestamp
  /// Returns `count` unpredictable bytes.
  public var randomBytes: @Sendable (_ count: Int) -> [UInt8]
  /// Waits for `span`; throws `CancellationError` when the task is cancelled while it waits.
  public var sleep: @Sendable (_ span: TimeSpan) async throws -> Void

  /// Dependencies from three functions.
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
  /// A new order id for the current time.
  public func makeOrderIdentifier() -> OrderIdentifier {
    OrderIdentifier(version7At: now(), random: randomBytes(10))
  }

  /// A number from 0 up to, not including, `bound`, uniformly distributed; 0 for a bound of 0.
  public func randomNumber(below bound: UInt64) -> UInt64 {
    guard bound > 1 else { return 0 }
    // Numbers above the last whole multiple of the bound would favour small results: they are drawn again.
    let limit = UInt64.max - UInt64.max % bound
    while true {
      let number = randomBytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      if number < limit { return number % bound }
    }
  }

  /// Dependencies that trap on each use, for code that needs neither time nor randomness.
  public static let refusing = Dependencies(
    now: { preconditionFailure("this code must not ask what time it is") },
    randomBytes: { _ in preconditionFailure("this code must not ask for anything random") },
    sleep: { _ in preconditionFailure("this code must not wait") })
}
