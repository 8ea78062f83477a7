import PaymentDatabase
import PaymentModel
import PaymentPrimitives

extension PaymentEngine {
  /// Sets the gauges of the database's writability and of pending deliveries; the age of the oldest is the value to
  /// alert on.
  package func measureBacklog() async {
    measureHealth()
    // Each node would report the same numbers. One does, so that those of all nodes may be added.
    let share = nodes.isFirst ? 1.0 : 0
    for app in apps.all {
      if let backlog = try? await read({ try $0.forwardBacklog(of: app.id) }) {
        let labels = [("app", app.id.text)]
        metrics.set(.forwardsPending, labels, to: share * Double(backlog.pending))
        metrics.set(.forwardsParked, labels, to: share * Double(backlog.parked))
      }
      for environment in [app.home] + app.counterpartEnvironments {
        let appEnvironment = AppEnvironment(app: app.id, environment: environment)
        guard let backlog = try? await read({ try $0.deliveryBacklog(in: appEnvironment) }) else { continue }
        let labels = [("app", app.id.text), ("environment", environment.rawValue)]
        await measureStopped(in: appEnvironment, labels, share)
        await measureWaiting(in: appEnvironment, labels, share)
        await measureComplaints(in: appEnvironment, labels, share)
        metrics.set(.deliveriesPending, labels, to: share * Double(backlog.pending))
        metrics.set(.deliveriesParked, labels, to: share * Double(backlog.parked))
        let age = backlog.oldestPending.map { now - $0 } ?? .zero
        metrics.set(
          .oldestUndeliveredSeconds, labels, to: share * Double(age.milliseconds) / 1000)
      }
    }
  }

  /// A queue that is longer needs no exact number.
  private static let waitingMax = 1000

  /// Sets the gauges of the payments that wait for an operator.
  private func measureWaiting(
    in appEnvironment: AppEnvironment, _ labels: [(String, String)], _ share: Double
  ) async {
    let ever = Timestamp(milliseconds: .max)
    for state in ["held", "unclaimed", "setAside"] {
      let found = try? await read {
        try $0.payments(inState: state, firstSeenBefore: ever, in: appEnvironment, limit: Self.waitingMax)
      }
      guard let found else { continue }
      let age = found.first.map { now - $0.firstSeenAt } ?? .zero
      let labels = labels + [("state", state)]
      metrics.set(.paymentsWaiting, labels, to: share * Double(found.count))
      metrics.set(.oldestWaitingPaymentSeconds, labels, to: share * Double(age.milliseconds) / 1000)
    }
  }

  /// Sets the gauges of complaints that are not done.
  private func measureComplaints(
    in appEnvironment: AppEnvironment, _ labels: [(String, String)], _ share: Double
  ) async {
    guard let open = try? await read({ try $0.openComplaints(in: appEnvironment, limit: Self.waitingMax) }) else {
      return
    }
    for state in ["unanswered", "answered"] {
      let found = open.filter { ($0.answeredAt == nil) == (state == "unanswered") }
      let age = found.first.map { now - $0.begunAt } ?? .zero
      let labels = labels + [("state", state)]
      metrics.set(.complaintsOpen, labels, to: share * Double(found.count))
      metrics.set(.oldestComplaintSeconds, labels, to: share * Double(age.milliseconds) / 1000)
    }
  }

  /// Sets the gauges of stopped changes of money, which need a separate alert.
  private func measureStopped(
    in appEnvironment: AppEnvironment, _ labels: [(String, String)], _ share: Double
  ) async {
    guard let counts = try? await read({ try $0.countOfStoppedChanges(in: appEnvironment) }) else { return }
    for kind in StoppedChange.Kind.allCases {
      let count = counts.first { $0.kind == kind }?.count ?? 0
      metrics.set(.stoppedChanges, labels + [("kind", kind.rawValue)], to: share * Double(count))
    }
  }
}
