import PaymentModel
import PaymentPrimitives

/// Work with a due time that was set by a clock that was ahead.
extension InMemoryTransaction {
  func bringForward(_ work: WaitingWork, limit: Int) throws -> Int {
    try proceed()
    switch work {
    case .deliveries(let appEnvironment):
      let ahead = (rows.pendingDeliveries[appEnvironment] ?? []).compactMap { rows.deliveries[$0] }
        .filter { $0.readyAt > now }
        .sorted { ($0.readyAt, $0.id) < ($1.readyAt, $1.id) }
        .limited(to: limit)
      for var delivery in ahead {
        delivery.nextAttemptAt = min(delivery.nextAttemptAt, now)
        delivery.lease = delivery.lease.map(ended)
        try update(delivery)
      }
      return ahead.count
    case .forwards(let app):
      let ahead = rows.forwards.values
        .filter { $0.appEnvironment.app == app && $0.state == .pending && $0.readyAt > now }
        .sorted { ($0.readyAt, $0.appEnvironment, $0.notification) < ($1.readyAt, $1.appEnvironment, $1.notification) }
        .limited(to: limit)
      for var forward in ahead {
        forward.nextAttemptAt = min(forward.nextAttemptAt, now)
        forward.lease = forward.lease.map(ended)
        try update(forward)
      }
      return ahead.count
    case .orderQuestions, .refundQuestions: return try bringQuestionsForward(work, limit)
    case .appStoreTasks, .histories, .subscriptions: return try bringAppleWorkForward(work, limit)
    }
  }

  private func ended(_ lease: Lease) -> Lease { Lease(until: min(lease.until, now), fence: lease.fence) }

  private func bringQuestionsForward(_ work: WaitingWork, _ limit: Int) throws -> Int {
    if work == .orderQuestions {
      let ahead = rows.weChatPayQuestions.all.filter { $0.at > now }.limited(to: limit)
        .compactMap { rows.weChatPayOrders[$0.key] }
      for var order in ahead {
        order.nextQuestionAt = now
        try update(order)
      }
      return ahead.count
    }
    let ahead = rows.refunds.values.filter { refund in refund.nextQuestionAt.map { $0 > now } ?? false }
      .sorted { ($0.nextQuestionAt ?? now, $0.number) < ($1.nextQuestionAt ?? now, $1.number) }
      .limited(to: limit)
    for var refund in ahead {
      refund.nextQuestionAt = now
      try update(refund)
    }
    return ahead.count
  }

  private func bringAppleWorkForward(_ work: WaitingWork, _ limit: Int) throws -> Int {
    switch work {
    case .histories(let appEnvironment):
      let ahead = rows.histories.values
        .filter { history in
          history.customer.appEnvironment == appEnvironment && history.dueAt > now
            && (history.readAt.map { $0 > now } ?? false || history.dueAt > now + WaitingWork.historyWaitMax)
        }
        .sorted { ($0.dueAt, $0.customer) < ($1.dueAt, $1.customer) }
        .limited(to: limit)
      for var history in ahead {
        history.dueAt = now
        try put(history)
      }
      return ahead.count
    case .subscriptions(let appEnvironment):
      let ahead = rows.subscriptions.values
        .filter { subscription in
          subscription.key.appEnvironment == appEnvironment
            && subscription.askAt.map { $0 > now + WaitingWork.subscriptionWaitMax } ?? false
            && subscription.periodEnd.map { $0 < now - WaitingWork.subscriptionWaitMax } ?? false
        }
        .sorted { ($0.askAt ?? now, $0.key) < ($1.askAt ?? now, $1.key) }
        .limited(to: limit)
      for var subscription in ahead {
        subscription.askAt = now
        try put(subscription)
      }
      return ahead.count
    default:
      let ahead = rows.appStoreTaskTimes.all.filter { $0.at > now }.compactMap { rows.appStoreTasks[$0.key] }
        .filter { $0.createdAt > now || $0.dueAt > now + WaitingWork.appStoreTaskWaitMax }
        .limited(to: limit)
      for var appStoreTask in ahead {
        appStoreTask.dueAt = now
        try put(appStoreTask)
      }
      return ahead.count
    }
  }
}
