import PaymentModel
package import PaymentPrimitives
import Synchronization

/// The apps as they are configured at present, for all who ask.
final class CurrentApps: Sendable {
  private let directory: Mutex<AppDirectory>

  init(_ apps: AppDirectory) { directory = Mutex(apps) }

  var all: AppDirectory { directory.withLock { $0 } }

  /// Puts others in their place, made from those of this moment.
  func replace(_ change: (AppDirectory) -> AppDirectory) { directory.withLock { $0 = change($0) } }
}

/// What became of a configuration that was to take the place of the running one.
package enum ReloadOutcome: Hashable, Sendable {
  /// It drops what was bought: nothing was changed.
  case refused([ConfigurationGap])
  /// What is sold and the policies count from now on.
  ///
  /// - Parameter needRestart: apps that came or went; they count from the next start.
  case taken(needRestart: [AppIdentifier])
}

extension PaymentEngine {
  /// Takes over, while it runs, what another configuration says of what the apps sell and of their policies. Addresses,
  /// keys and accounts stay as they are until the next start.
  ///
  /// Work under way ends by the configuration that it began with. What was held because its product was unknown is
  /// decided again, and what was stopped is tried again.
  package func reload(_ configured: AppDirectory) async throws -> ReloadOutcome {
    let gaps = try await read { try configured.gaps(to: $0) }
    guard gaps.isEmpty else { return .refused(gaps) }
    var needRestart: [AppIdentifier] = []
    directory.replace { running in
      needRestart = Set(running.all.map(\.id)).symmetricDifference(configured.all.map(\.id)).sorted()
      return AppDirectory(running.all.map { app in configured[app.id].map { app.taking($0) } ?? app })
    }
    log(LogEvent(.info, "configuration.reloaded", [("needRestart", needRestart.map(\.text).joined(separator: " "))]))
    try await decideHeldAgain()
    try await retryStoppedChanges()
    return .taken(needRestart: needRestart)
  }
}

extension AppSettings {
  /// It with another configuration's products and policies.
  fileprivate func taking(_ other: AppSettings) -> AppSettings {
    var app = self
    app.catalog = other.catalog
    app.isRetired = other.isRetired
    app.claims = other.claims
    app.tokenMeaning = other.tokenMeaning
    app.sandboxPurchases = other.sandboxPurchases
    app.finishWhen = other.finishWhen
    app.restore = other.restore
    app.referenceFromApp = other.referenceFromApp
    app.weChatPay?.descriptions = other.weChatPay?.descriptions ?? [:]
    return app
  }
}
