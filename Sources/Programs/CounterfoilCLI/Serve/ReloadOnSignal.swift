import PaymentEngine
import PaymentPrimitives
import PaymentServer
import ServerConfiguration

/// Reads the configuration again whenever the process is asked to (`SIGHUP`). A bad file leaves the old one in force.
struct ReloadOnSignal: Sendable {
  let assembly: ServerAssembly
  /// The configuration that the process started with.
  let atStart: ServerConfiguration
  let manager: ServiceNotification
  /// Reads the file, with the same flags and variables as at the start.
  let read: @Sendable () throws -> ServerConfiguration

  private var metrics: Metrics { assembly.engine.metrics }

  func run(_ requests: AsyncStream<Void>) async {
    note(isGood: true)
    for await _ in requests {
      manager.reloading()
      manager.reloaded(isGood: await reload())
    }
  }

  private func reload() async -> Bool {
    do {
      let configuration = try read()
      switch try await assembly.engine.reload(AppDirectory(configuration.apps)) {
      case .refused(let gaps):
        return refuse(gaps.map { "\($0.app) \($0.name) \($0.subject): \($0.text.english)" }.joined(separator: "; "))
      case .taken(let apps):
        assembly.server.reload(userTokenKeys: configuration.userTokenKeys)
        note(isGood: true)
        tellOfRestart(configuration, apps)
        return true
      }
    } catch { return refuse("\(error)") }
  }

  private func refuse(_ why: String) -> Bool {
    note(isGood: false)
    assembly.log(LogEvent(.error, "configuration.refused", [("why", why)]))
    return false
  }

  private func note(isGood: Bool) {
    metrics.set(.configReloadSuccessful, to: isGood ? 1 : 0)
    if isGood { metrics.set(.configReloadTimestampSeconds, to: Double(assembly.engine.dependencies.now().seconds)) }
  }

  /// Names what the new file changes and the running server keeps. The access to the stores is not compared, because
  /// keys are not: it always needs a restart.
  private func tellOfRestart(_ configuration: ServerConfiguration, _ apps: [AppIdentifier]) {
    var changed = apps.map { "app \($0)" }
    if configuration.profile != atStart.profile { changed.append("profile") }
    if configuration.database != atStart.database { changed.append("database") }
    if configuration.listen != atStart.listen { changed.append("address, port, tls, proxies or limits of connections") }
    if configuration.backup != atStart.backup { changed.append("backup") }
    guard !changed.isEmpty else { return }
    assembly.log(
      LogEvent(.warning, "configuration.needsRestart", [("changed", changed.joined(separator: "; "))]))
  }
}
