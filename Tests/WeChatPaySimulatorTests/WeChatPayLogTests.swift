import PaymentPrimitives
import SimulatorCore
import StrictJSON
import TestDoubles
import Testing
import WeChatPayProtocol
import WeChatPaySimulator

@Suite struct `The log of a simulated WeChat Pay` {
  /// A day that contains every kind of command, as a list of steps.
  private static let steps: [@Sendable (WeChatPayCounter) async throws -> Void] = [
    { _ = try await $0.prepay() }, { _ = try await $0.paid() },
    { _ = try await $0.prepay(WeChatPayCounter.order("ORDNATIVE", .native)) },
    { _ = await $0.close("ORDNATIVE") },
    { try await $0.service.control.plan(PlannedFault(.abnormalRefund, of: .refund)) },
    { counter in _ = await counter.ask(try .refund(counter.refundOrder("RF1", 100))) },
    { counter in
      counter.time.advance(by: .seconds(5))
      _ = try await counter.delivered()
    },
    { try await $0.service.setBehaviour(.refundsWithoutPause, to: 1) },
    { try await $0.service.control.repairRefund(RefundKey(mchid: WeChatPayCounter.mchid, outRefundNo: "RF1")) },
    { _ = try await $0.service.advanceClock(by: .seconds(5)) }, { _ = try await $0.delivered() },
    { _ = try await $0.service.control.issueCertificate() },
    { counter in
      let visit = try counter.handOver(try await counter.prepayId(WeChatPayCounter.order("PAIDLATER")))
      _ = try await counter.service.cashier.visit(visit, openid: "o", .payLater(.seconds(9), winsOverClose: true))
    },
    { _ = await $0.close("PAIDLATER") },
    { counter in
      counter.time.advance(by: .seconds(9))
      _ = try await counter.delivered()
    },
    { _ = try await $0.service.setClockRate(60) }, { try await $0.service.control.forgetFaults() },
  ]

  private func day() async throws -> WeChatPayCounter {
    let counter = try await WeChatPayCounter()
    for step in Self.steps { try await step(counter) }
    return counter
  }

  private func open(_ lines: [[UInt8]]) async throws -> WeChatPayCounter {
    try await WeChatPayCounter(lines: VolatileSimulatorLog(lines: lines), seed: 5)
  }

  @Test func `gives a later process the whole state, after each command`() async throws {
    let counter = try await WeChatPayCounter()
    for step in Self.steps {
      try await step(counter)
      let (live, again) = (await counter.service.state, try await counter.restarted().service.state)
      #expect(live == again)
    }
    for line in await counter.lines.lines { #expect(line.count < 8192 && !line.contains(0x0A)) }
  }

  @Test func `is refused if a line is missing, doubled, unknown or of a later version`() async throws {
    let lines = try await day().lines.lines
    var broken = lines
    broken.remove(at: 3)
    await #expect(throws: CodedError(WeChatPaySimulatorErrorCode.logUnreadable)) { _ = try await open(broken) }
    broken = lines
    broken.insert(lines[4], at: 4)
    await #expect(throws: CodedError(WeChatPaySimulatorErrorCode.logUnreadable)) { _ = try await open(broken) }
    broken = lines
    broken[2] = Array("{\"v\":1,\"n\":3,\"changes\":[{\"what\":\"gift\",\"is\":{}}]}".utf8)
    await #expect(throws: CodedError(WeChatPaySimulatorErrorCode.logUnreadable)) { _ = try await open(broken) }
    broken = lines
    broken[2] = Array("{\"v\":2,\"n\":3}".utf8)
    await #expect(throws: CodedError(WeChatPaySimulatorErrorCode.logTooNew)) { _ = try await open(broken) }
    broken = Array(lines.dropFirst())
    await #expect(throws: CodedError(WeChatPaySimulatorErrorCode.logUnreadable)) { _ = try await open(broken) }
  }

  @Test func `loses a torn last line after a kill, reports it, and loses nothing else`() async throws {
    let counter = try await day()
    let lines = await counter.lines.lines
    for kept in [1, lines.count / 2, lines.count - 1] {
      let whole = try await open(Array(lines.prefix(kept)))
      let torn = VolatileSimulatorLog(lines: Array(lines.prefix(kept)) + [Array(lines[kept].prefix(20))])
      let opened = try await WeChatPayCounter(lines: torn, seed: 5)
      #expect(await opened.service.state.content == (await whole.service.state.content))
      _ = try await WeChatPayCounter(lines: torn, seed: 6)
    }
  }

  @Test func `blocks all changes if it cannot be written, and API calls answer SYSTEM_ERROR`() async throws {
    let lines = VolatileSimulatorLog()
    _ = try await WeChatPayCounter(lines: lines)
    struct Full: Error {}
    let dead = SimulatorLog(append: { _ in throw Full() }, readAll: { await lines.lines })
    let counter = try await WeChatPayCounter(lines: lines, log: dead)
    #expect(try await counter.prepay().error?.code == .systemError)
    #expect(await counter.query().error?.code == .orderNotFound)
    await #expect(throws: CodedError(WeChatPaySimulatorErrorCode.logUnavailable)) {
      try await counter.service.setBehaviour(.notifyNever, to: 1)
    }
  }
}
