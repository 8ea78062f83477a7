public import PaymentPrimitives

/// How long the client waits and how often it asks. The defaults are those of docs/specification/client.md.
public struct PurchasingPolicies: Hashable, Sendable {
  /// How long one request to the server may take; a request that waits for news may take that much longer than its
  /// wait.
  public var requestLimit = TimeSpan.seconds(10)
  /// Pauses between the attempts to have a transaction verified while the app is in use. After the last one the
  /// next start, foreground, purchase or change of user asks again (X16).
  public var verificationPauses: [TimeSpan] = [.seconds(10), .seconds(30), .seconds(120)]
  /// Pauses between the attempts to make an order while the customer looks at the button.
  public var orderPauses: [TimeSpan] = [.seconds(1), .seconds(3)]
  /// How long `purchase` lets its caller wait in all. The work goes on after it.
  public var purchaseLimit = TimeSpan.minutes(3)
  /// How long `purchase` waits for what the queue held before, ahead of an order.
  public var recoveryLimit = TimeSpan.seconds(25)
  /// When to look for a charge after the store reported a failure: at once, and again at these marks (S4, S5).
  public var looksAfterFailure: [TimeSpan] = [.seconds(5), .seconds(30)]
  /// How long the store may be silent after the sheet opened before queue and server are asked.
  public var silenceLimit = TimeSpan.seconds(30)
  /// How long one answer of the store is waited for: of finish, of the list of transactions, of whether payments
  /// are allowed. Such calls were seen never to return.
  public var storeLimit = TimeSpan.seconds(10)
  /// Seconds that the server is asked to wait for a payment: `?wait=`, at most 25.
  public var waitSeconds: Int64 = 25
  /// When the server is asked about an order after the customer came back from WeChat, counted from then. After the
  /// second look the caller is told; the others go on behind him (1A.16, X18).
  public var weChatLooks: [TimeSpan] = [.zero, .seconds(5), .seconds(10), .seconds(20), .seconds(30)]
  /// How long after the return to the foreground a silent store is worth a word to the customer (1A.75).
  public var hintAfter = TimeSpan.seconds(30)
  /// How long the store may take to describe products; an order never waits for it.
  public var productLimit = TimeSpan.seconds(4)
  /// When a purchase is complete.
  public var complete = Completion.granted
  /// Transactions that are submitted at the same time.
  public var submissionsAtOnce = 4

  /// When a purchase is complete.
  public enum Completion: String, Hashable, CaseIterable, Sendable {
    /// When our ledger has granted it.
    case granted
    /// When the app's backend has acknowledged it, too.
    case delivered
  }

  /// The defaults.
  public init() {}
}
