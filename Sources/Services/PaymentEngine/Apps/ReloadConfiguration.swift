import PaymentModel
package import PaymentPrimitives
import Synchronization

/// The present configuration of the apps, shared by all readers.
final class CurrentApps: Sendable {
  private let directory: Mutex<AppDirectory>

  init(_ apps: AppDirectory) { directory = Mutex(apps) }

  var all: AppDirectory { directory.withLock { $0 } }

  /// Replaces the directory with one that is made from the present one.
  func replace(_ change: (AppDirectory) -> AppDirectory) { directory.withLock { $0 = change($0) } }
}

/// The result of a configuration reload.
package enum ReloadOutcome: Hashable, Sendable {
  /// It lacks products that were sold: nothing was changed.
  case refused([ConfigurationGap])
  /// The products and the policies take effect now.
  ///
  /// - Parameter needRestart: apps that were added or removed, and those with other endpoints; they change at the next
  ///   start.
  case taken(needRestart: [AppIdentifier])
}

extension PaymentEngine {
  /// Applies the products and policies of another configuration while the server runs, and the addresses and secrets of
  /// its endpoints. The integrations of the stores take their own keys.
  ///
  /// Work in progress continues with the configuration it began with. Payments held for an unknown product are
  /// decided again, and stopped changes are retried.
  package func reload(_ configured: AppDirectory) async throws -> ReloadOutcome {
    let gaps = try await read { try configured.gaps(to: $0) }
    guard gaps.isEmpty else { return .refused(gaps) }
    var needRestart: [AppIdentifier] = []
    directory.replace { running in
      let others = running.all.filter { app in configured[app.id].map { !app.hasWorkers(for: $0) } ?? false }
      needRestart = Set(running.all.map(\.id)).symmetricDifference(configured.all.map(\.id)).union(others.map(\.id))
        .sorted()
      return AppDirectory(running.all.map { app in configured[app.id].map { app.taking($0) } ?? app })
    }
    log(LogEvent(.info, "configuration.reloaded", [("needRestart", needRestart.map(\.text).joined(separator: " "))]))
    // The configuration is in force now, whatever happens to the payments that waited for it.
    do {
      try await decideHeldAgain()
    } catch {
      log(LogEvent(.error, "configuration.waitingNotDecided", [("error", "\(error)")]))
      heldSignal.ask()
    }
    do {
      try await retryStoppedChanges()
    } catch {
      log(LogEvent(.error, "configuration.waitingNotDecided", [("error", "\(error)")]))
    }
    return .taken(needRestart: needRestart)
  }
}

extension AppPolicy {
  /// Whether each endpoint of the other configuration has a worker that runs: they begin with the server.
  fileprivate func hasWorkers(for other: AppPolicy) -> Bool {
    endpoints.map(\.name) == other.endpoints.map(\.name)
      && endpoints.map(\.environments) == other.endpoints.map(\.environments)
      && endpoints.map(\.types) == other.endpoints.map(\.types)
  }

  /// These settings with another configuration's products and policies.
  fileprivate func taking(_ other: AppPolicy) -> AppPolicy {
    var app = self
    app.catalog = other.catalog
    app.isRetired = other.isRetired
    app.claims = other.claims
    app.tokenMeaning = other.tokenMeaning
    app.sandboxPurchases = other.sandboxPurchases
    app.finishWhen = other.finishWhen
    app.restore = other.restore
    app.referenceFromApp = other.referenceFromApp
    app.universalLinks = other.universalLinks
    app.descriptions = other.descriptions
    app.credits = other.credits
    app.commissionPercent = other.commissionPercent
    app.events = other.events
    app.endpoints = endpoints.map { own in
      var endpoint = other.endpoints.first { $0.name == own.name && $0.environments == own.environments } ?? own
      endpoint.types = own.types
      return endpoint
    }
    return app
  }
}
