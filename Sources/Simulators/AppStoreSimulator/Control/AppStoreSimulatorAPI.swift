package import HTTPMessages
import SimulatorCore

/// The control API: how a person, a test or a demo controls the simulator, as HTTP values. No socket, no thread.
///
/// It checks no credential: a caller that controls the App Store can buy without paying. A program binds it to the
/// loopback interface only (rule AS-CTRL-1).
package struct AppStoreSimulatorAPI: Sendable {
  let store: SimulatedAppStore
  let settings: SimulatorSettings

  /// A control API for a simulated App Store.
  ///
  /// - Parameter settings: those of the App Store.
  package init(_ store: SimulatedAppStore, settings: SimulatorSettings = SimulatorSettings()) {
    self.store = store
    self.settings = settings
  }

  /// Answers a request below `/simulator`. It never throws: every failure is an answer with a stable code.
  package func respond(to request: HTTPRequest) async -> HTTPResponse {
    await store.settle()
    return await Self.table.respond(to: request, by: ControlledAppStore(store: store, settings: settings))
  }

  /// All routes; `GET /simulator` lists them.
  static let table = ControlTable(
    below: ["simulator"], bodyBytesMax: SimulatorLimits.controlBodyBytesMax, statesAllowedMethods: true,
    ControlRoutes.overview + ControlRoutes.catalog + ControlRoutes.purchases + ControlRoutes.receipts
      + ControlRoutes.subscriptions + ControlRoutes.changes + ControlRoutes.refunds + ControlRoutes.tellings
      + ControlRoutes.notifications + ControlRoutes.api + ControlRoutes.certificates
      + ControlRoutes.time)
}
