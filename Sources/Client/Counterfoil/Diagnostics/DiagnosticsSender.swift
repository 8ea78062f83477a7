import CounterfoilAPI
import PaymentPrimitives

/// Counts what was nearly lost on this device, and tells the server the counts at most once a day, after a recovery.
///
/// Nothing depends on it: where the vault or the server fails, counts may be lost, and no purchase waits.
final class DiagnosticsSender {
  private enum Signal: Sendable {
    case counted(ReportDiagnostics.Kind)
    /// The server has just been asked about something else.
    case momentToSend
  }

  /// Signals that may wait; more than a device counts.
  private static let waitingMax = 256

  private let isOn: Bool
  private let dependencies: Dependencies
  private let records: VaultRecords
  private let server: ServerConnection
  private let session: UserSession
  private let sheets: OpenedSheets
  private let flows: PurchaseFlows
  private let log: SupportLog
  private var signals: AsyncStream<Signal>.Continuation?
  /// The last attempt of this run: a server that fails is not asked with each recovery.
  private var triedAt: Timestamp?

  init(_ resources: PurchasingResources, _ state: PurchasingState) {
    isOn = resources.configuration.sendsDiagnostics
    dependencies = resources.dependencies
    records = resources.records
    server = resources.server
    session = state.session
    sheets = state.sheets
    flows = state.flows
    log = state.log
    state.events.addObserver { [weak self] in self?.note($0) }
  }

  /// Counts what an event tells.
  private func note(_ event: PurchaseEvent) {
    switch event {
    case .fulfilled(_, let order?, _) where sheets.sheet(of: order) == nil && !isBought(order): note(.recovered)
    case .orderGranted(let order) where !isBought(order): note(.recovered)
    case .orphan: note(.orphan)
    case .finishDidNotStick: note(.finishDidNotStick)
    case .slowCallback: note(.lostCallback)
    default: return
    }
  }

  /// Whether a purchase of this run pays the order, so that nothing had to be recovered.
  private func isBought(_ order: OrderIdentifier) -> Bool { flows.contains { $0.order?.id == order } }

  private func note(_ kind: ReportDiagnostics.Kind) { signals?.yield(.counted(kind)) }

  func recoveryEnded() { signals?.yield(.momentToSend) }

  /// Counts and sends until its task is cancelled.
  nonisolated(nonsending) func run() async {
    guard isOn else { return }
    let (stream, continuation) = AsyncStream.makeStream(
      of: Signal.self, bufferingPolicy: .bufferingNewest(Self.waitingMax))
    signals = continuation
    for await signal in stream {
      do throws(VaultFailure) {
        switch signal {
        case .counted(let kind):
          let now = dependencies.now()
          try await records.changeDiagnostics { $0.add(kind, at: now) }
        case .momentToSend: try await send()
        }
      } catch {
        log.vaultFailed(error)
      }
    }
  }

  nonisolated(nonsending) private func send() async throws(VaultFailure) {
    guard let user = session.user else { return }
    let (id, now) = (dependencies.makeOrderIdentifier(), dependencies.now())
    if let triedAt, now >= triedAt, now - triedAt < DiagnosticCounts.gathering { return }
    // It is written down before it is sent: a repeat after a kill has the same id.
    try await records.changeDiagnostics { _ = $0.prepareReport(id: id, at: now) }
    guard let report = await records.diagnostics.report else { return }
    triedAt = now
    let request = ReportDiagnostics.Request(id: report.id, counts: report.counts)
    let server = self.server
    switch await session.asUser(user, { await server.reportDiagnostics(request, as: $0) }) {
    case .unknown, .noCredential: return
    // A server that does not take it now will not take it later.
    case .answered, .refused: try await records.changeDiagnostics { $0.noteAnswer(to: report.id, at: now) }
    }
  }
}

extension VaultRecords {
  /// What this device has counted.
  var diagnostics: DiagnosticCounts { cleared.diagnostics }

  /// Changes the counts, and makes them durable.
  func changeDiagnostics(
    _ change: @Sendable (inout DiagnosticCounts) -> Void
  ) async throws(VaultFailure) {
    // Counts must not replace what is not read yet.
    guard isLoaded else { return }
    try await changeCleared { change(&$0.diagnostics) }
  }
}
