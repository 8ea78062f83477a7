package import PaymentPrimitives

/// Kinds of work that wait in a database for their time.
package enum WaitingWork: Hashable, Sendable {
  case deliveries(AppEnvironment)
  /// Notifications of an app that are passed on.
  case forwards(AppIdentifier)
  /// Questions to a store about orders.
  case orderQuestions
  /// Questions to a store about refunds.
  case refundQuestions
  /// What Apple is to be asked or told.
  case appStoreTasks
  /// Customers' histories of a realm at Apple.
  case histories(AppEnvironment)
  /// Subscriptions of a realm that the store is asked about.
  case lines(AppEnvironment)

  /// An errand that waits longer was planned by a clock that stood ahead: the first wait is that long.
  package static let appStoreTaskWaitMax = TimeSpan.minutes(10)
  /// A history that waits longer was planned by such a clock.
  package static let historyWaitMax = TimeSpan.days(7)
  /// A subscription whose period is over is asked about daily.
  package static let lineWaitMax = TimeSpan.days(1)
}
