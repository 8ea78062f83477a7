import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Work that waits for a time which a clock set while it was ahead.
extension SQLTransaction {
  func bringForward(_ work: WaitingWork, limit: Int) throws -> Int {
    let count = max(0, limit)
    switch work {
    case .deliveries(let appEnvironment):
      return try change(WaitingWorkSQL.deliveries) {
        $0.add(now)
        $0.add(now)
        $0.add(appEnvironment)
        $0.add(now)
        $0.add(count)
      }
    case .forwards(let app):
      return try change(WaitingWorkSQL.forwards) {
        $0.add(now)
        $0.add(now)
        $0.add(app)
        $0.add(now)
        $0.add(count)
      }
    case .orderQuestions: return try change(WaitingWorkSQL.orderQuestions) { bind(count, &$0) }
    case .refundQuestions: return try change(WaitingWorkSQL.refundQuestions) { bind(count, &$0) }
    case .appStoreTasks:
      return try change(WaitingWorkSQL.appStoreTasks) {
        $0.add(now)
        $0.add(now)
        $0.add(now)
        $0.add(now + WaitingWork.appStoreTaskWaitMax)
        $0.add(count)
      }
    case .histories(let appEnvironment):
      return try change(WaitingWorkSQL.histories) {
        $0.add(now)
        $0.add(appEnvironment)
        $0.add(now)
        $0.add(now)
        $0.add(now + WaitingWork.historyWaitMax)
        $0.add(count)
      }
    case .subscriptions(let appEnvironment):
      return try change(WaitingWorkSQL.subscriptions) {
        $0.add(now)
        $0.add(appEnvironment)
        $0.add(now + WaitingWork.subscriptionWaitMax)
        $0.add(now - WaitingWork.subscriptionWaitMax)
        $0.add(count)
      }
    }
  }

  private func bind(_ count: Int, _ parameters: inout Parameters) {
    parameters.add(now)
    parameters.add(now)
    parameters.add(count)
  }
}

/// The statements that bring this work forward.
enum WaitingWorkSQL {
  static let deliveries = SQL(
    """
    UPDATE deliveries SET
      next_attempt_at = \(.least)(next_attempt_at, ?),
      lease_until = CASE WHEN lease_until IS NOT NULL THEN \(.least)(lease_until, ?) END
    WHERE id IN (
      SELECT id FROM deliveries \(hint: "deliveries_ready")
      WHERE state = 'pending' AND app = ? AND environment = ? AND ready_at > ? ORDER BY ready_at LIMIT ?)
    """)
  static let forwards = SQL(
    """
    UPDATE notification_forwards SET
      next_attempt_at = \(.least)(next_attempt_at, ?),
      lease_until = CASE WHEN lease_until IS NOT NULL THEN \(.least)(lease_until, ?) END
    WHERE id IN (
      SELECT id FROM notification_forwards \(hint: "notification_forwards_ready")
      WHERE state = 'pending' AND app = ? AND ready_at > ? ORDER BY ready_at LIMIT ?)
    """)
  static let orderQuestions = questions("wechat_pay_orders", "app, environment, order_id")
  static let refundQuestions = questions("refunds", "app, environment, number")
  static let appStoreTasks = SQL(
    """
    UPDATE app_store_errands SET due_at = ?
    WHERE (payment, purpose) IN (
      SELECT payment, purpose FROM app_store_errands \(hint: "app_store_errands_due")
      WHERE due_at > ? AND (created_at > ? OR due_at > ?) ORDER BY due_at LIMIT ?)
    """)
  static let histories = SQL(
    """
    UPDATE app_store_histories SET due_at = ?
    WHERE customer IN (
      SELECT customer FROM app_store_histories \(hint: "app_store_histories_due")
      WHERE app = ? AND environment = ? AND due_at > ? AND (coalesce(read_at, 0) > ? OR due_at > ?)
      ORDER BY due_at LIMIT ?)
    """)
  static let subscriptions = SQL(
    """
    UPDATE lines SET ask_at = ?
    WHERE id IN (
      SELECT id FROM lines \(hint: "lines_to_ask")
      WHERE app = ? AND environment = ? AND ask_at > ? AND period_end < ? ORDER BY ask_at LIMIT ?)
    """)

  static let all = [deliveries, forwards, orderQuestions, refundQuestions, appStoreTasks, histories, subscriptions]

  private static func questions(_ table: String, _ key: String) -> SQL {
    SQL(
      """
      UPDATE \(table) SET next_question_at = ?
      WHERE (\(key)) IN (
        SELECT \(key) FROM \(table) \(hint: "\(table)_to_ask")
        WHERE next_question_at > ? ORDER BY next_question_at LIMIT ?)
      """)
  }
}
