public import PaymentPrimitives

/// Waiting times and retry schedules of the client. The defaults are those of docs/specification/client.md.
public struct PurchasingPolicies: Hashable, Sendable {
  /// How long one request to the server may take; for a request that waits for an update, the wait is added.
  public var requestLimit = TimeSpan.seconds(10)
  /// Pauses between the attempts to verify a transaction while the app is in use. After the last one the next start,
  /// foreground, purchase or change of user asks again (X16).
  public var verificationPauses: [TimeSpan] = [.seconds(10), .seconds(30), .seconds(120)]
  /// Pauses between the attempts to make an order while the customer looks at the button.
  public var orderPauses: [TimeSpan] = [.seconds(1), .seconds(3)]
  /// How long `purchase` lets its caller wait in total. The work goes on after it.
  public var purchaseLimit = TimeSpan.minutes(3)
  /// How long `purchase` waits for the earlier transactions of the queue before it makes an order.
  public var recoveryLimit = TimeSpan.seconds(25)
  /// When to check for a charge after the store reported a failure: at once, and again at these times (S4, S5).
  public var looksAfterFailure: [TimeSpan] = [.seconds(5), .seconds(30)]
  /// How long the store may be silent after the sheet opened before queue and server are asked.
  public var silenceLimit = TimeSpan.seconds(30)
  /// The wait for one answer of the store: for finish, for the list of transactions, for whether payments are allowed.
  /// Such calls sometimes never return.
  public var storeLimit = TimeSpan.seconds(10)
  /// Seconds that the server is asked to wait for a payment: `?wait=`, at most 25.
  public var waitSeconds: Int64 = 25
  /// When the server is asked about an order, counted from the customer's return from WeChat. After the second check
  /// the caller gets the result; the others run in the background (1A.16, X18).
  public var weChatLooks: [TimeSpan] = [.zero, .seconds(5), .seconds(10), .seconds(20), .seconds(30)]
  /// How long the store may stay silent after the return to the foreground before the customer gets a hint (1A.75).
  public var hintAfter = TimeSpan.seconds(30)
  /// The shortest time between two recoveries because the app came to the foreground. Systems report that often: after
  /// each sheet, Face ID, Control Center.
  public var foregroundPause = TimeSpan.seconds(30)
  /// How long the store may take to describe products; an order never waits for it.
  public var productLimit = TimeSpan.seconds(4)
  /// When a purchase is complete.
  public var complete = Completion.granted
  /// Maximum submissions at the same time.
  public var submissionsAtOnce = 4

  /// The moment at which a purchase counts as complete.
  public enum Completion: String, Hashable, CaseIterable, Sendable {
    /// When the server's ledger has granted it.
    case granted
    /// When the app's backend has also acknowledged it.
    case delivered
  }

  /// The defaults.
  public init() {}
}
