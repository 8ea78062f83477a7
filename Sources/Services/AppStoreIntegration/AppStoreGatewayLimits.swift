import PaymentEngine
package import PaymentPrimitives

/// Every limit of the client of Apple's servers by name, with the reason for its value.
package struct AppStoreGatewayLimits: Hashable, Sendable {
  /// The longest time that a call waits for its turn. A customer waits five seconds; a search for lost payments can
  /// wait for minutes.
  package var waitMax: [StoreCallPriority: TimeSpan] = [
    .livePurchase: .seconds(5), .reconciliation: .minutes(2), .background: .minutes(5),
  ]
  /// The most calls that wait for one endpoint; it bounds memory, and more calls would not get their turn in time.
  package var waitingMax = 1000
  /// The most calls in flight to one endpoint: fifty per second at one second each, and a reserve.
  package var inFlightMax = 64
  /// The most of those that no customer waits for.
  package var inFlightUnhurriedMax = 32
  /// When a caller is told to ask again if too many calls are in flight.
  package var inFlightPause = TimeSpan.seconds(1)
  /// How long a call waits before it looks again whether this node has a part of the rates.
  package var sharePause = TimeSpan.milliseconds(250)
  /// Calls of `verifyReceipt` per second: Apple names no rate, so a cautious one.
  package var receiptsPerSecond = 10
  /// Consecutive errors after which an endpoint is paused; `breakerPause` is the time between single probes.
  package var breakerThreshold = 8
  /// See `breakerThreshold`.
  package var breakerPause = TimeSpan.seconds(10)
  /// Pause of an endpoint that answers 429 without a time.
  package var limitedPause = TimeSpan.seconds(10)
  /// The shortest such pause, whatever the answer says.
  package var limitedPauseMin = TimeSpan.seconds(1)
  /// The longest such pause, whatever the answer says: Apple counts by the hour.
  package var limitedPauseMax = TimeSpan.hours(1)

  package init() {}
}
