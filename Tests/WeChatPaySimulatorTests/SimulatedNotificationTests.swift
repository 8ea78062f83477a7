import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import TestDoubles
import Testing
import WeChatPayProtocol
import WeChatPaySimulator

@Suite struct `A notification of a simulated WeChat Pay` {
  private func paidCounter(_ faults: [PlannedFault] = []) async throws -> WeChatPayCounter {
    let counter = try await WeChatPayCounter()
    for fault in faults { try await counter.service.control.plan(fault) }
    _ = try await counter.paid()
    return counter
  }

  @Test func `has the content of a query, encrypted and signed by the current key`() async throws {
    let counter = try await paidCounter()
    let told = try #require(try await counter.delivered().first).get()
    #expect(told.content == .transaction(try #require(await counter.query().answer)))
    #expect(told.signedBy == .publicKey(counter.publicKeyIdentifier))
    let request = try #require(await counter.server.requests.first)
    #expect(request.method == "POST" && request.target == WeChatPayCounter.notifyURL)
    #expect(request.fields["User-Agent"] == "Mozilla/4.0" && request.fields["Request-ID"] == nil)
    #expect(await counter.server.timeLimits == [.seconds(5)])
    #expect(try await counter.delivered().isEmpty)
  }

  @Test(arguments: [201, 301, 400, 401, 500]) func `is sent again unless it is answered 200 or 204`(
    _ status: Int
  ) async throws {
    let counter = try await paidCounter()
    await counter.server.answer([.status(status), .status(204)])
    #expect(try await counter.delivered().count == 1)
    counter.time.advance(by: .seconds(15))
    #expect(try await counter.delivered().count == 1)
    counter.time.advance(by: .days(2))
    #expect(try await counter.delivered().isEmpty)
    #expect(await counter.service.notifications().first?.attempts.map(\.status) == [status, 204])
  }

  @Test func `is repeated fifteen times over a day, each signed anew with the same content, and given up`() async throws
  {
    let counter = try await paidCounter()
    await counter.server.answer([], otherwise: .failure(.outcomeUnknown("broken")))
    var spans: [Int64] = []
    var bodies: Set<[UInt8]> = []
    var nonces: Set<String> = []
    var seconds: Int64 = 0
    for _ in 0..<16 {
      #expect(try await counter.delivered().count == 1)
      let request = try #require(await counter.server.requests.first)
      bodies.insert(request.body)
      nonces.insert(request.fields["Wechatpay-Nonce"] ?? "")
      guard case .waiting(let moment) = await counter.service.notifications()[0].state else { break }
      spans.append((moment - counter.time.now).milliseconds / 1000)
      seconds += spans.last ?? 0
      counter.time.advance(by: moment - counter.time.now)
    }
    #expect(
      spans == [15, 15, 30, 180, 600, 1200, 1800, 1800, 1800, 3600, 10_800, 10_800, 10_800, 21_600, 21_600])
    #expect(seconds == 24 * 3600 + 4 * 60 && bodies.count == 1 && nonces.count == 16)
    #expect(await counter.service.notifications()[0].state == .givenUp)
    let id = await counter.service.notifications()[0].id
    try await counter.service.control.sendAgain(id)
    #expect(try await counter.delivered().count == 1)
  }

  @Test func `arrives as a probe that must be refused, and then with a real signature`() async throws {
    let counter = try await WeChatPayCounter()
    try await counter.service.setBehaviour(.probePercent, to: 100)
    _ = try await counter.paid()
    await counter.server.answer([.status(401)])
    guard case .failure(let failure) = try await counter.firstDelivered() else {
      throw WeChatPayCounter.Missing(what: "a probe")
    }
    #expect(failure.isProbe)
    counter.time.advance(by: .seconds(15))
    _ = try await counter.firstDelivered().get()
    #expect(await counter.service.notifications()[0].attempts.map(\.fault) == [.probe, nil])
  }

  @Test(arguments: [
    (WeChatPayFault.wrongSignature, "wechat_pay_signature_wrong"), (.unknownKey, "wechat_pay_signature_unknown_key"),
    (.staleTimestamp, "wechat_pay_signature_clock"), (.probe, "wechat_pay_signature_probe"),
    (.cutAnswer, "wechat_pay_signature_wrong"), (.unsigned, "wechat_pay_signature_header_missing"),
  ]) func `is wrong once if a fault is planned, and right at the next attempt`(
    _ fault: WeChatPayFault, _ code: String
  ) async throws {
    let counter = try await paidCounter([PlannedFault(fault, of: .paymentNotification)])
    await counter.server.answer([.status(401)])
    guard case .failure(let failure) = try await counter.firstDelivered() else {
      throw WeChatPayCounter.Missing(what: "a failure")
    }
    #expect(failure.code == code)
    counter.time.advance(by: .seconds(15))
    _ = try await counter.firstDelivered().get()
  }

  @Test func `is lost once or permanently`() async throws {
    let counter = try await paidCounter([
      PlannedFault(.loseNotification, of: .paymentNotification), PlannedFault(.loseAttempt, of: .paymentNotification),
    ])
    _ = try await counter.paid("ORDERNUMBER2")
    #expect(try await counter.delivered().isEmpty)
    counter.time.advance(by: .seconds(15))
    #expect(try await counter.delivered().count == 1)
    counter.time.advance(by: .days(3))
    for _ in 0..<20 { counter.time.advance(by: .hours(6)); _ = try await counter.delivered() }
    #expect(await counter.service.notifications().map(\.state) == [.givenUp, .accepted])
  }

  @Test func `carries another amount, order, merchant, key or type if a fault is planned`() async throws {
    let counter = try await WeChatPayCounter()
    let real = try await counter.paid("FIRSTORDER")
    _ = try await counter.delivered()
    func next(_ fault: WeChatPayFault, _ number: String) async throws -> Result<
      WeChatPayNotification, NotificationFailure
    > {
      try await counter.service.control.plan(PlannedFault(fault, of: .paymentNotification))
      _ = try await counter.paid(number)
      return try await counter.firstDelivered()
    }
    guard case .transaction(let altered) = try await next(.alteredAmount, "ORDERNUMBER2").get().content,
      case .transaction(let other) = try await next(.otherOrder, "ORDERNUMBER3").get().content,
      case .transaction(let foreign) = try await next(.otherMerchant, "ORDERNUMBER4").get().content,
      case .failure(let sealed) = try await next(.otherAPIv3Key, "ORDERNUMBER5")
    else { throw WeChatPayCounter.Missing(what: "a content") }
    #expect(altered.total == 601 && altered.outTradeNo == "ORDERNUMBER2")
    #expect(other.outTradeNo == "ORDERNUMBER2" && real.outTradeNo == "FIRSTORDER")
    #expect(foreign.mchid != WeChatPayCounter.mchid)
    #expect(sealed.code == "wechat_pay_resource_decryption")
    #expect(try await next(.unknownEventType, "ORDERNUMBER6").get().content == .other)
    #expect(await counter.query("ORDERNUMBER2").answer?.total == 600)
  }

  @Test func `arrives fifteen times more, also after it was accepted`() async throws {
    let counter = try await WeChatPayCounter()
    try await counter.service.setBehaviour(.duplicateNotifications, to: 15)
    _ = try await counter.paid()
    let told = try await counter.delivered()
    #expect(told.count == 16)
    #expect(Set(try told.map { try $0.get().id }).count == 1)
  }

  @Test func `arrives before the answer to the prepay call`() async throws {
    let counter = try await WeChatPayCounter()
    try await counter.service.control.plan(PlannedFault(.payBeforeAnswer, of: .prepay))
    _ = try await counter.prepay()
    #expect(await counter.server.requests.count == 1)
    #expect(await counter.query().answer?.tradeState == .known(.success))
  }

  @Test func `arrives late, and in any order, if settings demand it`() async throws {
    let counter = try await WeChatPayCounter()
    try await counter.service.setBehaviour(.notificationDelayMilliseconds, to: 1000)
    try await counter.service.setBehaviour(.notificationJitterMilliseconds, to: 60_000)
    for index in 10..<20 { _ = try await counter.paid("ORDERNUMBER\(index)") }
    counter.time.advance(by: .milliseconds(999))
    #expect(try await counter.delivered().isEmpty)
    var numbers: [String] = []
    for _ in 0..<61 {
      counter.time.advance(by: .seconds(1))
      for told in try await counter.delivered() {
        if case .transaction(let transaction) = try told.get().content { numbers.append(transaction.outTradeNo) }
      }
    }
    #expect(numbers.count == 10 && numbers != numbers.sorted())
  }

  @Test func `is not sent if the merchant has no APIv3 key, or if a setting forbids it`() async throws {
    let counter = try await WeChatPayCounter()
    try await counter.service.setBehaviour(.notifyNever, to: 1)
    _ = try await counter.paid()
    try await counter.service.setBehaviour(.notifyNever, to: 0)
    var merchant = WeChatPayCounter.simulated
    merchant.testAPIv3Key = nil
    try await counter.service.control.setMerchant(merchant)
    _ = try await counter.paid("ORDERNUMBER2")
    counter.time.advance(by: .days(2))
    #expect(try await counter.delivered().isEmpty)
    #expect(await counter.service.notifications().allSatisfy { $0.state == .neverSent })
  }

  @Test
  func `has no associated data if a setting demands it, and goes to the merchant's tunnel`() async throws {
    let counter = try await WeChatPayCounter()
    try await counter.service.setBehaviour(.noAssociatedData, to: 1)
    var merchant = WeChatPayCounter.simulated
    merchant.notificationOrigin = "http://127.0.0.1:8080"
    try await counter.service.control.setMerchant(merchant)
    _ = try await counter.paid()
    _ = try await counter.firstDelivered().get()
    let request = try #require(await counter.server.requests.first)
    #expect(request.target == "http://127.0.0.1:8080/notifications/wechat-pay/demo")
    #expect(try JSONReader.read(request.body)["resource"]?["associated_data"] == nil)
  }
}
