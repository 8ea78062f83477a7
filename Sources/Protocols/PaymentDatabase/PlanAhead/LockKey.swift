package import PaymentModel
package import PaymentPrimitives

/// What a read depends on and a write changes: the unit in which a plan is checked.
///
/// A read records its key also when it finds nothing. So a row that appears later makes the plan outdated, as a changed
/// row does. A key may cover more rows than a read needs; the closure then runs again without need.
package enum LockKey: Hashable, Sendable {
  /// An order with its data at WeChat Pay, its payment, its deliveries, its journal and the stopped changes that name
  /// it.
  case order(OrderKey)
  /// The number that an app's backend gave to an order.
  case reference(String, AppEnvironment)
  /// The idempotency key of a caller.
  case idempotency(String, caller: String, AppEnvironment)
  /// Everything of a user: orders, balances, entitlements, claims, consent and limits.
  case user(UserIdentifier, AppEnvironment)
  /// Whether a user was merged into another one. Each fulfilment asks it, and writes rows of its user: one key for both
  /// would let two payments of a user outdate each other.
  case merge(of: UserIdentifier, AppEnvironment)
  /// Everything kept about one transaction id: the payment with its grant, changes, postings, refunds, deliveries,
  /// evidence, claims, tasks and stopped changes, or the duplicate.
  case payment(PaymentKey)
  /// All payments with one `originalTransactionId`, their duplicates, the subscription, and the users who share it.
  case original(PaymentKey)
  /// The users of an `appTransactionId`.
  case appTransaction(String, AppEnvironment)
  /// How far a customer's history has been read.
  case customer(PaymentKey)
  /// The earlier system's list of deliveries.
  case earlierList(Store, AppEnvironment)
  case refund(String, AppEnvironment)
  case complaint(String, AppEnvironment)
  case promotionalEntitlement(String, AppEnvironment)
  case booking(String, AppEnvironment)
  /// Whether an app environment has any booking.
  case bookings(AppEnvironment)
  /// A notification with its forward.
  case notification(String, AppEnvironment)
  case delivery(DeliveryIdentifier)
  case receipt(digest: String)
  /// The comparison with a store's bill of a day.
  case reconciliation(day: String, Store, AppEnvironment)
  case phoneReport(OrderIdentifier, AppEnvironment)
  case apiKey(CredentialIdentifier)
  case setting(String)
  case operatorAccount(OperatorName)
  /// A link by the digest of its code.
  case signInLink(String)
  /// A session by the digest of its token.
  case consoleSession(String)
  /// A sign-in that waits for its second factor, by the digest of its token.
  case pendingSignIn(String)
  /// The sessions and the passkeys of an account.
  case operatorAccess(OperatorName)
  case passkey(String)
  case approval(String)
  /// The whole audit log: each entry depends on the one before.
  case auditLog
}
