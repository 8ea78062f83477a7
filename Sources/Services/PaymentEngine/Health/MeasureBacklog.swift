import PaymentDatabase
import PaymentModel
import PaymentPrimitives

extension PaymentEngine {
  /// Sets the gauges of the database's writability and of pending deliveries; the age of the oldest is the value to
  /// alert on.
  package func measureBacklog() async {
    measureHealth()
    for app in apps.all {
      if let backlog = try? await read({ try $0.forwardBacklog(of: app.id) }) {
        let labels = [("app", app.id.text)]
        metrics.set("counterfoil_forwards_pending", labels, to: Double(backlog.pending))
        metrics.set("counterfoil_forwards_parked", labels, to: Double(backlog.parked))
      }
      for environment in [app.home] + app.counterpartEnvironments {
        let appEnvironment = AppEnvironment(app: app.id, environment: environment)
        guard let backlog = try? await read({ try $0.deliveryBacklog(in: appEnvironment) }) else { continue }
        let labels = [("app", app.id.text), ("environment", environment.rawValue)]
        await measureStopped(in: appEnvironment, labels)
        metrics.set("counterfoil_deliveries_pending", labels, to: Double(backlog.pending))
        metrics.set("counterfoil_deliveries_parked", labels, to: Double(backlog.parked))
        let age = backlog.oldestPending.map { dependencies.now() - $0 } ?? .zero
        metrics.set(
          "counterfoil_oldest_undelivered_seconds", labels, to: Double(age.milliseconds) / 1000)
      }
    }
  }

  /// Sets the gauges of stopped changes of money, which need a separate alert.
  private func measureStopped(in appEnvironment: AppEnvironment, _ labels: [(String, String)]) async {
    guard let counts = try? await read({ try $0.countOfStoppedChanges(in: appEnvironment) }) else { return }
    for kind in StoppedChange.Kind.allCases {
      let count = counts.first { $0.kind == kind }?.count ?? 0
      metrics.set("counterfoil_stopped_changes", labels + [("kind", kind.rawValue)], to: Double(count))
    }
  }
}
