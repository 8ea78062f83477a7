import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import TestDoubles
import Testing
import WeChatPayProtocol
import WeChatPaySimulator

@Suite struct `A fault of a simulated WeChat Pay` {
  private func struck(
    _ fault: WeChatPayFault, _ counter: WeChatPayCounter
  ) async throws -> WeChatPayOutcome<PrepayAnswer> {
    try await counter.service.control.plan(PlannedFault(fault, of: .prepay))
    return try await counter.prepay()
  }

  @Test(arguments: [
    (WeChatPayFault.unreachable, false), (.loseRequest, false), (.loseAnswer, true),
  ]) func `loses the answer, before or after the order was opened`(_ fault: WeChatPayFault, _ isDone: Bool) async throws
  {
    let counter = try await WeChatPayCounter()
    let uncertainty = try #require(try await struck(fault, counter).uncertainty)
    guard case .noAnswer = uncertainty else { throw WeChatPayCounter.Missing(what: "silence") }
    #expect(uncertainty.isCertainlyUnprocessed == (fault == .unreachable))
    #expect(await counter.service.orders().isEmpty == !isDone)
    #expect(try await counter.prepay().answer != nil)
  }

  @Test(arguments: [
    (WeChatPayFault.htmlError, 502, false), (.serviceUnavailable, 503, false), (.htmlAfterEffect, 502, true),
    (.unsigned, 200, true), (.wrongSignature, 200, true), (.probe, 200, true), (.unknownKey, 200, true),
    (.staleTimestamp, 200, true), (.cutAnswer, 200, true),
  ]) func `sends an answer that fails verification`(_ fault: WeChatPayFault, _ status: Int, _ isDone: Bool) async throws
  {
    let counter = try await WeChatPayCounter()
    guard case .unverified(_, status, _) = try await struck(fault, counter).uncertainty else {
      throw WeChatPayCounter.Missing(what: "an unverified answer")
    }
    #expect(await counter.service.orders().isEmpty == !isDone)
  }

  @Test(arguments: [
    (WeChatPayFault.systemError, WeChatPayErrorCode.systemError, false), (.frequencyLimited, .frequencyLimited, false),
    (.systemErrorAfterEffect, .systemError, true),
  ]) func `sends a signed answer that leaves the outcome open`(
    _ fault: WeChatPayFault, _ code: WeChatPayErrorCode, _ isDone: Bool
  ) async throws {
    let counter = try await WeChatPayCounter()
    #expect(try await struck(fault, counter).error?.code == code)
    #expect(await counter.service.orders().isEmpty == !isDone)
  }

  @Test func `makes a query return another amount or another order, signed`() async throws {
    let counter = try await WeChatPayCounter()
    _ = try await counter.paid()
    try await counter.service.control.plan(PlannedFault(.alteredAmount, of: .query))
    #expect(await counter.query().answer?.total == 601)
    try await counter.service.control.plan(PlannedFault(.otherOrder, of: .query))
    guard case .unreadable = await counter.query().uncertainty else {
      throw WeChatPayCounter.Missing(what: "a refused answer")
    }
    #expect(await counter.query().answer?.total == 600)
  }

  @Test func `delays an answer until the client has given up`() async throws {
    let counter = try await WeChatPayCounter()
    try await counter.service.control.plan(PlannedFault(.slow, of: .prepay))
    async let outcome = counter.prepay()
    await counter.time.untilSomebodySleeps(until: counter.time.now + .seconds(15))
    counter.time.advance(by: .seconds(15))
    guard case .noAnswer(.outcomeUnknown) = try await outcome.uncertainty else {
      throw WeChatPayCounter.Missing(what: "silence")
    }
    try await counter.service.setBehaviour(.slowSeconds, to: 2)
    try await counter.service.control.plan(PlannedFault(.slow, of: .query))
    async let late = counter.query()
    await counter.time.untilSomebodySleeps(until: counter.time.now + .seconds(2))
    counter.time.advance(by: .seconds(2))
    #expect(await late.answer?.tradeState == .known(.notPaid))
  }

  @Test func `skips some calls first, occurs as often as planned, and at one host only`() async throws {
    let counter = try await WeChatPayCounter()
    let fault = PlannedFault(.systemError, of: .prepay, host: "api2.mch.weixin.qq.com", skip: 1, count: 2)
    try await counter.service.control.plan(fault)
    var codes: [WeChatPayErrorCode?] = []
    for _ in 0..<4 {
      #expect(try await counter.prepay().answer != nil)
      codes.append(await counter.ask(try .prepay(WeChatPayCounter.order()), host: .secondary).error?.code)
    }
    #expect(codes == [nil, .systemError, .systemError, nil])
    #expect(await counter.service.faults().isEmpty)
  }

  @Test func `occurs randomly until it is removed, and affects notifications only if it names one`() async throws {
    let counter = try await WeChatPayCounter()
    try await counter.service.control.plan(PlannedFault(.systemError, count: nil, percent: 50))
    var struck = 0
    for _ in 0..<200 where await counter.query().error?.code == .systemError { struck += 1 }
    #expect((60...140).contains(struck))
    try await counter.service.control.forgetFaults()
    _ = try await counter.paid()
    try await counter.service.control.plan(PlannedFault(.wrongSignature, count: nil))
    _ = try await counter.firstDelivered().get()
    for _ in 1..<100 { try await counter.service.control.plan(PlannedFault(.systemError)) }
    await #expect(throws: CodedError(WeChatPaySimulatorErrorCode.full)) {
      try await counter.service.control.plan(PlannedFault(.systemError))
    }
  }

  @Test func `appears through a listener as a gateway's error page, never as a broken connection`() async throws {
    let counter = try await WeChatPayCounter()
    try await counter.service.control.plan(PlannedFault(.loseAnswer))
    let response = await counter.ask("GET", "/v3/certificates")
    #expect(response.status == 502 && response.fields["Content-Type"] == "text/html")
  }
}

@Suite struct `An answer of a simulated WeChat Pay` {
  @Test func `is signed by the public key if the request names it, otherwise by the certificate`() async throws {
    let counter = try await WeChatPayCounter()
    for name in [counter.publicKeyIdentifier, nil] {
      var request = counter.request(try .prepay(WeChatPayCounter.order()))
      request.fields.set("Wechatpay-Serial", name)
      let response = await counter.service.api.respond(to: request)
      let signer = try counter.keys.verify(response.fields, body: response.body, at: counter.time.now)
      if let name {
        #expect("\(signer)" == name)
      } else {
        guard case .certificate = signer else { throw WeChatPayCounter.Missing(what: "a certificate") }
      }
      #expect(response.fields["Request-ID"]?.hasPrefix("SIM") == true)
      #expect(response.fields["Request-ID"]?.hasSuffix("-0") == true)
    }
  }

  @Test func `is signed also for a refusal, unless a setting changes that`() async throws {
    let counter = try await WeChatPayCounter()
    #expect(await counter.query().error?.code == .orderNotFound)
    try await counter.service.setBehaviour(.errorsUnsigned, to: 1)
    guard case .unverified(_, 404, let claim) = await counter.query().uncertainty else {
      throw WeChatPayCounter.Missing(what: "an unverified answer")
    }
    #expect(claim?.code == .orderNotFound)
  }

  @Test func `has the same content in any form`() async throws {
    let counter = try await WeChatPayCounter()
    let paid = try await counter.paid()
    try await counter.service.setBehaviour(.variedForm, to: 1)
    var texts: Set<String> = []
    for _ in 0..<8 {
      #expect(await counter.query().answer == paid)
      let target = "/v3/pay/transactions/out-trade-no/ORD20251009000001?mchid=1900007291"
      texts.insert(await counter.ask("GET", target).json?.text ?? "")
    }
    #expect(texts.count > 4 && texts.allSatisfy { $0.contains("a_field_of_tomorrow") })
  }

  @Test func `returns from the self-test in clear text and encrypted, and as a notification`() async throws {
    let counter = try await WeChatPayCounter()
    let key = await counter.service.platformPublicKey().key
    let sealed = try #require(SensitiveField.encrypt("测试", to: key))
    let outcome = await counter.ask(
      try .echo("hello", encryptedMessage: sealed, notifyURL: WeChatPayCounter.notifyURL))
    let answer = try #require(outcome.answer)
    #expect(answer.message == "hello")
    #expect(SensitiveField.decrypt(answer.encryptedMessage ?? "", with: WeChatPayCounter.keyMadeForTests) == "测试")
    #expect(try await counter.firstDelivered().get().content == .echo("hello"))
    #expect(await counter.ask(try .echo("hello", encryptedMessage: "AAAA")).error?.code == .parameterError)
  }

  @Test func `is recorded in the request log, with its code`() async throws {
    let counter = try await WeChatPayCounter()
    _ = await counter.query()
    _ = try await counter.prepay()
    let notes = await counter.service.exchanges()
    #expect(notes.map(\.status) == [404, 200] && notes.map(\.code) == ["ORDER_NOT_EXIST", nil])
    #expect(notes[1].body.contains("ORD20251009000001"))
    await counter.service.forgetExchanges()
    for _ in 0..<510 { _ = await counter.ask("GET", "/nothing") }
    #expect(await counter.service.exchanges().count == 500)
  }
}
