package import PaymentDatabase
import PaymentModel
package import PaymentPrimitives

/// Whether the server can work, and what waits in one app.
package struct InstallationHealth: Sendable {
  /// Why the server takes no calls; nil if it does.
  package let problem: CodedError<EngineErrorCode>?
  /// The processes over the database; none where only one process may hold it.
  package let nodes: [NodeRecord]
  package let deliveries: DeliveryBacklog
  package let forwards: DeliveryBacklog
  package let stopped: Int
  package let nextStoreQuestion: Timestamp?
  package let nextAppStoreTask: Timestamp?
  package let backupGap: BackupGap?
}

extension PaymentEngine {
  package func tellHealth(of app: AppPolicy) async throws -> InstallationHealth {
    var problem: CodedError<EngineErrorCode>?
    do { try await checkReadiness() } catch let error as CodedError<EngineErrorCode> { problem = error }
    let nodes = try await database.nodes()
    let gap = try await backupGap()
    let environments = app.everyEnvironment + [AppEnvironment(app: app.id, environment: .undetermined)]
    return try await read { [problem] reader in
      InstallationHealth(
        problem: problem, nodes: nodes, deliveries: try reader.deliveryBacklog(in: app.homeEnvironment),
        forwards: try reader.forwardBacklog(of: app.id),
        stopped: try environments.flatMap { try reader.countOfStoppedChanges(in: $0) }.reduce(0) { $0 + $1.count },
        nextStoreQuestion: try reader.nextStoreQuestion(), nextAppStoreTask: try reader.nextAppStoreTask(),
        backupGap: gap)
    }
  }
}
