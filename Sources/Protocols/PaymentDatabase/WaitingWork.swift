package import PaymentPrimitives

/// Kinds of work that wait in a database for their due time.
package enum WaitingWork: Hashable, Sendable {
  case deliveries(AppEnvironment)
  /// Forwards of an app's notifications.
  case forwards(AppIdentifier)
  /// Questions to a store about orders.
  case orderQuestions
  /// Questions to a store about refunds.
  case refundQuestions
  case appStoreTasks
  /// App Store histories of an app environment's customers.
  case histories(AppEnvironment)
  /// Subscriptions of an app environment with a question to the store.
  case subscriptions(AppEnvironment)

  /// The longest first wait of an App Store task. A longer wait comes from a clock that was ahead.
  package static let appStoreTaskWaitMax = TimeSpan.minutes(10)
  /// The longest wait of a history. A longer wait comes from a clock that was ahead.
  package static let historyWaitMax = TimeSpan.days(7)
  /// The longest wait of a subscription: after the end of its period, the question repeats daily.
  package static let subscriptionWaitMax = TimeSpan.days(1)
}
