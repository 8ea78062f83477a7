package import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives
import StrictJSON

/// Who paused an endpoint, and why. It is a setting, `endpoint.paused.<app>.<endpoint>`, empty once it is resumed. A
/// server of an earlier version does not read it.
package struct EndpointPause: Hashable, Sendable {
  package let by: String
  package let reason: String
  package let at: Timestamp

  init(by: String, reason: String, at moment: Timestamp) { (self.by, self.reason, at) = (by, reason, moment) }

  static func setting(_ app: AppIdentifier, endpoint: String) -> String { "endpoint.paused.\(app.text).\(endpoint)" }

  /// Nil for an endpoint that is not paused.
  init?(text: String?) {
    guard let text, let json = try? JSONReader.read(text.utf8), let by = json["by"]?.string,
      let reason = json["reason"]?.string, let moment = json["at"]?.integer
    else { return nil }
    self.init(by: by, reason: reason, at: Timestamp(milliseconds: moment))
  }

  var text: String {
    JSONValue.members([
      ("by", .string(by)), ("reason", .string(reason)), ("at", .integer(at.milliseconds)),
    ]).text
  }
}

/// An endpoint of the configuration, as it stands.
package struct EndpointStanding: Sendable {
  package let endpoint: DeliveryEndpoint
  package let pause: EndpointPause?
  /// In the order of the environments.
  package let backlogs: [(environment: StoreEnvironment, backlog: DeliveryBacklog)]
  /// How far it was sent the events that it names: the number of the last journal entry, and how many are open.
  package let events: [(environment: StoreEnvironment, after: Int64, open: Int)]
  /// Deliveries that failed and wait for their next attempt, the oldest first.
  package let failing: [Delivery]
}

extension PaymentEngine {
  /// A page shows at most that many deliveries that fail.
  private static let failingMax = 20
  /// Among that many that wait.
  private static let waitingMax = 200

  /// The app's endpoints in the order of the configuration.
  package func endpoints(of app: AppPolicy) async throws -> [EndpointStanding] {
    try await read { reader in
      try app.endpoints.map { endpoint in
        let environments = endpoint.environments.sorted()
        let realms = environments.map { AppEnvironment(app: app.id, environment: $0) }
        let waiting = try realms.flatMap {
          try reader.deliveries(DeliveryQuery(appEnvironment: $0, selection: .pending, limit: Self.waitingMax))
        }
        let places = try realms.compactMap { realm in
          try EventPlace(text: reader.setting(EventPlace.setting(realm, endpoint: endpoint.name))).map {
            (realm.environment, $0.after, $0.open.count)
          }
        }
        return EndpointStanding(
          endpoint: endpoint,
          pause: EndpointPause(text: try reader.setting(EndpointPause.setting(app.id, endpoint: endpoint.name))),
          backlogs: try realms.map { ($0.environment, try reader.deliveryBacklog(in: $0)) },
          events: places, failing: Array(waiting.filter { $0.attempts > 0 }.prefix(Self.failingMax)))
      }
    }
  }

  /// Stops sending to an endpoint until it is resumed. Deliveries and events are made and kept meanwhile; what is on
  /// its way arrives.
  ///
  /// - Throws: `actNotPossible` for an endpoint that is not configured.
  package func pauseEndpoint(
    _ name: String, of app: AppIdentifier, by operatorName: String, reason: String
  ) async throws {
    try checkEndpoint(name, of: app)
    try await transact { transaction in
      let setting = EndpointPause.setting(app, endpoint: name)
      // The first reason stays.
      guard EndpointPause(text: try transaction.setting(setting)) == nil else { return }
      try transaction.set(
        setting, to: EndpointPause(by: operatorName, reason: reason, at: transaction.now).text)
    }
  }

  /// Sends to an endpoint again. Other nodes notice within half a minute.
  ///
  /// - Throws: `actNotPossible` for an endpoint that is not configured.
  package func resumeEndpoint(_ name: String, of app: AppIdentifier) async throws {
    let endpoint = try checkEndpoint(name, of: app)
    try await transact { try $0.set(EndpointPause.setting(app, endpoint: name), to: "") }
    for environment in endpoint.environments {
      await deliverySignal.signal(for: AppEnvironment(app: app, environment: environment))
    }
  }

  @discardableResult
  private func checkEndpoint(_ name: String, of app: AppIdentifier) throws -> DeliveryEndpoint {
    guard let endpoint = apps[app]?.endpoints.first(where: { $0.name == name }) else {
      throw CodedError<EngineErrorCode>(.actNotPossible, "There is no such endpoint.")
    }
    return endpoint
  }
}

extension DatabaseTransaction {
  /// Replaces a user who is erased in the reasons for which endpoints are paused.
  func redactPauses(_ renaming: UserRenaming, endpoints: [String]) throws {
    for name in endpoints {
      let setting = EndpointPause.setting(renaming.appEnvironment.app, endpoint: name)
      guard let pause = EndpointPause(text: try self.setting(setting)) else { continue }
      let reason = renaming.renamed(words: pause.reason)
      guard reason != pause.reason else { continue }
      try set(setting, to: EndpointPause(by: pause.by, reason: reason, at: pause.at).text)
    }
  }
}

extension DatabaseReader {
  func isPaused(_ endpoint: String, of app: AppIdentifier) throws -> Bool {
    EndpointPause(text: try setting(EndpointPause.setting(app, endpoint: endpoint))) != nil
  }
}
