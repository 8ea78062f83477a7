public import PaymentVocabulary

/// Every bound of the way to Apple's servers by name, with the reason for its size.
public struct AppStoreGatewayLimits: Hashable, Sendable {
  /// How long a call waits for its turn at most: a customer who looks at a spinner, five seconds; what looks for lost
  /// payments can wait for minutes.
  public var patience: [StoreCallPriority: TimeSpan] = [
    .livePurchase: .seconds(5), .reconciliation: .minutes(2), .background: .minutes(5),
  ]
  /// How many wait for one endpoint at most: memory, and more would not get their turn in time.
  public var waitingMax = 1000
  /// Calls on their way to one endpoint at a time: fifty a second at a second each, and some.
  public var inFlightMax = 64
  /// Of those, what nobody waits for.
  public var inFlightUnhurriedMax = 32
  /// How soon a caller who met too many calls on their way is told to ask again.
  public var inFlightPause = TimeSpan.seconds(1)
  /// Questions to `verifyReceipt` in a second: Apple names no rate, so a cautious one.
  public var receiptsPerSecond = 10
  /// Failures in a row after which an endpoint is left alone, and for how long between single probes.
  public var breakerThreshold = 8
  /// See `breakerThreshold`.
  public var breakerPause = TimeSpan.seconds(10)
  /// How long an endpoint is left alone that answers 429 without saying how long.
  public var limitedPause = TimeSpan.seconds(10)
  /// How long at least, whatever it says.
  public var limitedPauseMin = TimeSpan.seconds(1)
  /// How long at most, whatever it says: Apple counts by the hour.
  public var limitedPauseMax = TimeSpan.hours(1)

  /// The usual bounds.
  public init() {}
}
