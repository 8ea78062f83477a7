public import PaymentVocabulary

/// Kinds of work that wait in a database for their time.
public enum WaitingWork: Hashable, Sendable {
  /// Deliveries of a realm.
  case deliveries(Realm)
  /// Notifications of an app that are passed on.
  case forwards(AppIdentifier)
  /// Questions to a store about orders.
  case orderQuestions
  /// Questions to a store about refunds.
  case refundQuestions
  /// What Apple is to be asked or told.
  case errands
  /// Customers' histories of a realm at Apple.
  case histories(Realm)
  /// Subscriptions of a realm that the store is asked about.
  case lines(Realm)

  /// An errand that waits longer was planned by a clock that stood ahead: the first wait is that long.
  public static let errandWaitMax = TimeSpan.minutes(10)
  /// A history that waits longer was planned by such a clock.
  public static let historyWaitMax = TimeSpan.days(7)
  /// A subscription whose period is over is asked about daily.
  public static let lineWaitMax = TimeSpan.days(1)
}
