package import PaymentPrimitives

/// Every bound of the way to Apple's servers by name, with the reason for its size.
package struct AppStoreGatewayLimits: Hashable, Sendable {
  /// How long a call waits for its turn at most: a customer who looks at a spinner, five seconds; what looks for lost
  /// payments can wait for minutes.
  package var patience: [StoreCallPriority: TimeSpan] = [
    .livePurchase: .seconds(5), .reconciliation: .minutes(2), .background: .minutes(5),
  ]
  /// How many wait for one endpoint at most: memory, and more would not get their turn in time.
  package var waitingMax = 1000
  /// Calls on their way to one endpoint at a time: fifty a second at a second each, and some.
  package var inFlightMax = 64
  /// Of those, what nobody waits for.
  package var inFlightUnhurriedMax = 32
  /// How soon a caller who met too many calls on their way is told to ask again.
  package var inFlightPause = TimeSpan.seconds(1)
  /// Questions to `verifyReceipt` in a second: Apple names no rate, so a cautious one.
  package var receiptsPerSecond = 10
  /// Failures in a row after which an endpoint is left alone, and for how long between single probes.
  package var breakerThreshold = 8
  /// See `breakerThreshold`.
  package var breakerPause = TimeSpan.seconds(10)
  /// How long an endpoint is left alone that answers 429 without saying how long.
  package var limitedPause = TimeSpan.seconds(10)
  /// How long at least, whatever it says.
  package var limitedPauseMin = TimeSpan.seconds(1)
  /// How long at most, whatever it says: Apple counts by the hour.
  package var limitedPauseMax = TimeSpan.hours(1)

  package init() {}
}
