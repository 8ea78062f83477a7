import PaymentDatabase
package import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON
import WeChatPayProtocol

/// The outcome of the comparison of one day.
package enum ReconciliationOutcome: Sendable {
  /// It was compared completely.
  case compared(ReconciliationReport)
  /// There is no bill yet, or WeChat Pay did not answer: it is tried again. The text gives the reason.
  case later(String)
}

extension PaymentEngine {
  /// Compares our ledger with WeChat Pay's bill of a Beijing day, in both directions. An unknown payment is requested
  /// and granted; every other difference is reported.
  ///
  /// A repetition does nothing twice, so an interruption costs only a repetition.
  /// - Parameter day: `2025-10-09`.
  package func reconcileWeChatPay(_ day: String, for app: AppPolicy) async throws -> ReconciliationOutcome {
    guard let gateway = weChatPay?.gateways[app.id] else { throw CodedError<EngineErrorCode>(.storeNotConfigured) }
    let appEnvironment = app.homeEnvironment
    guard let span = Self.beijingDay(day) else { throw CodedError<EngineErrorCode>(.dayUnknown) }
    let triedAt = now
    let known = try await read { try $0.reconciliation(of: day, at: .weChatPay, in: appEnvironment) }
    var record =
      known ?? ReconciliationRecord(appEnvironment: appEnvironment, store: .weChatPay, day: day, triedAt: triedAt)
    record.triedAt = triedAt
    let tried = record
    try await transact { try $0.put(tried) }
    let bill: TradeBill
    switch try await tradeBill(of: day, gateway) {
    case .success(let found): bill = found
    case .failure(let why): return .later(why.text)
    }
    var comparison = BillComparison(engine: self, app: app, gateway: gateway, day: day, span: span)
    try await comparison.compare(bill)
    var report = comparison.report
    report.fundFlow = try await compareFundFlow(of: day, span, with: bill, for: app, gateway)
    // Payments and refunds in the bill that WeChat Pay did not just confirm are compared again.
    record.doneAt = report.isComplete ? now : nil
    record.report = report.json.text
    let done = record
    try await transact { try $0.put(done) }
    metrics.count(
      .reconciliationsTotal,
      [("store", "weChatPay"), ("outcome", report.differenceCount == 0 ? "equal" : "differences")])
    log(
      LogEvent(
        report.differenceCount == 0 ? .info : .error, "reconciliation.done",
        [
          ("app", app.id.text), ("day", day), ("payments", "\(report.payments.count)"),
          ("healed", "\(report.findings.count(where: \.isHealed))"), ("differences", "\(report.differenceCount)"),
        ]))
    return .compared(report)
  }

  private struct NoBill: Error { let text: String }

  private func tradeBill(of day: String, _ gateway: WeChatPayGateway) async throws -> Result<TradeBill, NoBill> {
    let call: WeChatPayCall<BillTicket>
    do throws(CodedError<WeChatPayRequestErrorCode>) { call = try .tradeBill(day: day) } catch {
      throw CodedError<EngineErrorCode>(.dayUnknown, "\(error)")
    }
    switch await gateway.send(call).outcome.result {
    case .answered(let ticket):
      do {
        let download = try BillDownload(ticket, hosts: gateway.access.hosts)
        return .success(try TradeBill(await gateway.download(download)))
      } catch {
        return .failure(NoBill(text: "The bill could not be read: \(error)"))
      }
    case .refused(let error) where error.code == .noStatement && isAfterTen(day): return .success(.empty)
    case .refused(let error): return .failure(NoBill(text: "\(error)"))
    case .unknown(let why): return .failure(NoBill(text: why.summary))
    }
  }

  // MARK: days

  /// From one Beijing midnight to the next.
  static func beijingDay(_ day: String) -> Range<Timestamp>? {
    guard day.utf8.count == 10, let start = Timestamp(iso8601: day + "T00:00:00+08:00") else { return nil }
    return start..<(start + .days(1))
  }

  /// Whether it is after ten in the morning of the next day: then no bill means a day without lines.
  func isAfterTen(_ day: String) -> Bool {
    Self.beijingDay(day).map { now >= $0.upperBound + .hours(10) } ?? false
  }

  // MARK: the schedule

  /// Compares each day once its bill is available, until the task is cancelled.
  func reconcileScheduled() async {
    guard let gateways = weChatPay?.gateways, !gateways.isEmpty else { return }
    while !Task.isCancelled {
      for app in apps.all where gateways[app.id] != nil {
        do {
          try await doAlone("reconcile.weChatPay.\(app.id.text)") { try await reconcileDaysLeft(of: app) }
        } catch is CancellationError { return } catch {
          log(LogEvent(.error, "reconciliation.failed", [("app", app.id.text), ("error", "\(error)")]))
        }
      }
      guard (try? await dependencies.sleep(limits.reconciliationInterval)) != nil else { return }
    }
  }

  /// Whether the last try is long enough ago; a try in the future was made by a clock that was ahead.
  private func isTimely(_ tried: Timestamp, at now: Timestamp) -> Bool {
    tried > now || tried + limits.reconciliationInterval <= now
  }

  /// Compares the recent days that have a bill and were not compared completely; each at most every half hour.
  private func reconcileDaysLeft(of app: AppPolicy) async throws {
    let now = now
    for back in 1...limits.reconciliationDays {
      let day = BeijingTime.day(now - .days(Int64(back)))
      guard isAfterTen(day) else { continue }
      let appEnvironment = app.homeEnvironment
      let record = try await read { try $0.reconciliation(of: day, at: .weChatPay, in: appEnvironment) }
      guard record?.doneAt == nil, record.map({ isTimely($0.triedAt, at: now) }) ?? true else {
        continue
      }
      if case .later(let why) = try await reconcileWeChatPay(day, for: app) {
        log(LogEvent(.warning, "reconciliation.later", [("app", app.id.text), ("day", day), ("why", why)]))
      }
    }
  }
}
