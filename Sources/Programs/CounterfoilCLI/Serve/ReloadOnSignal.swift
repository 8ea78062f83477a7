import PaymentEngine
import PaymentPrimitives
import PaymentServer
import ServerConfiguration
import TOMLConfiguration

/// Reads the configuration again whenever the process is asked to (`SIGHUP`). A bad file leaves the old one in force.
struct ReloadOnSignal: Sendable {
  let assembly: ServerAssembly
  /// The listener of the callers, which has the certificate.
  let listener: Listener
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
      // First, because it is what fails most often: a certificate is replaced in two steps, file by file.
      try replaceCertificate(configuration.listen)
      if case .refused(let gaps) = try await assembly.engine.reload(AppDirectory(configuration.apps)) {
        return refuse(gaps.map { "\($0.app) \($0.name) \($0.subject): \($0.text.english)" }.joined(separator: "; "))
      }
      assembly.server.reload(userTokenKeys: configuration.userTokenKeys)
      await assembly.alerts.replace(configuration.alerts)
      let kept = await assembly.engine.replaceStoreAccess(by: configuration.apps)
      note(isGood: true)
      tellOfDoubts(configuration)
      tellOfRestart(configuration, kept)
      return true
    } catch { return refuse((error as? any BilingualError)?.words(.english) ?? "\(error)") }
  }

  /// Reads the files of `[tls]`; where TLS begins or ends, only a restart helps.
  private func replaceCertificate(_ listen: ListenSettings) throws {
    guard let certificate = listen.certificate, atStart.listen.certificate != nil else { return }
    try listener.replaceCertificate(certificate.chain, certificate.key)
    assembly.log(LogEvent(.info, "certificate.read", [("file", certificate.chain)]))
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

  private func tellOfDoubts(_ configuration: ServerConfiguration) {
    for doubt in configuration.doubts {
      assembly.log(LogEvent(.warning, "configuration.doubtful", [("why", doubt)]))
    }
  }

  /// Names the keys that differ from the start and take effect with the next one.
  ///
  /// - Parameter kept: accesses to stores that stay as they are.
  private func tellOfRestart(_ configuration: ServerConfiguration, _ kept: [String]) {
    let changed = configuration.file.changes(from: atStart.file).filter {
      ConfigurationReference.nearest(to: $0.pattern)?.reload == .restart
    }.map(\.path)
    let others = kept.filter { kept in
      !changed.contains { $0.hasPrefix(kept) || kept.hasPrefix($0 + ".") }
    }
    let all = changed + others
    guard !all.isEmpty else { return }
    assembly.log(LogEvent(.warning, "configuration.needsRestart", [("changed", all.joined(separator: ", "))]))
  }
}
