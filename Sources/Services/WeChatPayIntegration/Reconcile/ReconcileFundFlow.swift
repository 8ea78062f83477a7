import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON
import WeChatPayProtocol

extension PaymentEngine {
  /// Compares the fund-flow bill of a day with its trade bill, and the amounts of closed refunds with our refunds.
  ///
  /// A missing or unreadable bill says nothing about payments: it is a state of the report, never an error.
  func compareFundFlow(
    of day: String, _ span: Range<Timestamp>, with trade: TradeBill, for app: AppPolicy, _ gateway: WeChatPayGateway
  ) async throws -> FundFlowReport {
    let bill: FundFlowBill
    switch try await fundFlowBill(of: day, gateway) {
    case .success(let found): bill = found
    case .failure(let reason): return FundFlowReport(reason.state)
    }
    let before = try await closingBalance(before: span, in: app.homeEnvironment)
    var comparison = FundFlowComparison(span: span)
    comparison.compare(bill, with: trade, balanceBefore: before)
    for row in bill.rows where row.kind == .returnedRefund {
      try Task.checkCancellation()
      guard let state = try await stateOfReturned(row, for: app) else { continue }
      comparison.addReturned(row, state: state)
    }
    return comparison.report
  }

  private struct NoFundFlow: Error { let state: FundFlowReport.State }

  private func fundFlowBill(
    of day: String, _ gateway: WeChatPayGateway
  ) async throws -> Result<FundFlowBill, NoFundFlow> {
    let call: WeChatPayCall<BillTicket>
    do throws(CodedError<WeChatPayRequestErrorCode>) { call = try .fundFlowBill(day: day) } catch {
      throw CodedError<EngineErrorCode>(.dayUnknown, "\(error)")
    }
    switch await gateway.send(call).outcome.result {
    case .answered(let ticket):
      do {
        let download = try BillDownload(ticket, hosts: gateway.access.hosts)
        return .success(try FundFlowBill(await gateway.download(download)))
      } catch {
        return .failure(NoFundFlow(state: .later("The bill could not be read: \(error)")))
      }
    case .refused(let error) where error.code == .noStatement && isAfterTen(day): return .success(.empty)
    case .refused(let error) where error.code == .noAuthority || error.code == .unsupportedCall:
      return .failure(NoFundFlow(state: .refused("\(error)")))
    case .refused(let error): return .failure(NoFundFlow(state: .later("\(error)")))
    case .unknown(let why): return .failure(NoFundFlow(state: .later(why.summary)))
    }
  }

  /// The balance after the day before, as its comparison stored it; nil if that day was not compared.
  private func closingBalance(
    before span: Range<Timestamp>, in appEnvironment: AppEnvironment
  ) async throws -> Int64? {
    let day = BeijingTime.day(span.lowerBound - .hours(1))
    let record = try await read { try $0.reconciliation(of: day, at: .weChatPay, in: appEnvironment) }
    return record?.report.flatMap { try? JSONReader.read($0.utf8) }?["fundFlow"]?["closing"]?.integer
  }

  /// The state of a refund whose money came back, if it is ours and not closed here: WeChat Pay is asked first.
  private func stateOfReturned(_ row: FundFlowRow, for app: AppPolicy) async throws -> String? {
    let appEnvironment = app.homeEnvironment
    guard var refund = try await read({ try $0.refund(row.voucher, in: appEnvironment) }) else { return nil }
    if case .failed = refund.state { return nil }
    await askAboutRefund(row.voucher, for: app)
    refund = try await read { try $0.refund(row.voucher, in: appEnvironment) } ?? refund
    if case .failed = refund.state { return nil }
    return refund.state.name
  }
}
