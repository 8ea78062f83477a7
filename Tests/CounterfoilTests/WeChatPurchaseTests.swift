import Counterfoil
import CounterfoilAPI
import CounterfoilTesting
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import TestDoubles
import Testing

@Suite struct `A purchase through WeChat` {
  @Test func `is granted only by the server's verdict, and leaves nothing behind (1A.2, 1A.3, 1A.4)`() {
    let world = ClientWorld()
    world.launch()
    let tap = world.tap(store: .weChatPay)
    world.goOn { tap.isDone }
    world.goOn(for: .minutes(5))

    let order = world.server.orders.first
    #expect(tap.outcome == order.map { .fulfilled($0.id, recovered: false) })
    #expect(order?.store == .weChatPay)
    #expect(world.server.grants.count == 1)
    #expect(world.openRecords == [])
    #expect(world.server.requests("submit").isEmpty, "WeChat's callback is no evidence")
  }

  @Test func `passes the nine values to WeChat as the server signed them (1A.9)`() throws {
    let world = ClientWorld()
    world.launch()
    let tap = world.tap(store: .weChatPay)
    world.goOn { tap.isDone }

    let request = try #require(world.weChat.requests.first)
    let signed = try #require(world.server.orders.first?.weChatPay)
    #expect(request.appId == signed.appId && request.partnerId == signed.partnerId)
    #expect(request.prepayId == signed.prepayId && request.packageValue == "Sign=WXPay")
    #expect(request.nonceStr == signed.nonceStr && Int64(request.timeStamp) == signed.timeStamp)
    #expect(request.sign == signed.sign && request.signType == nil)
    #expect(request.extData == world.server.orders.first?.id.appAccountToken)
    #expect(!"\(request)".contains(request.sign), "payment parameters are not logged")
  }

  @Test func `has its order in the vault before WeChat opens, and the page is notified (1A.5, 1A.31)`() {
    let world = ClientWorld()
    world.launch()
    let heard = world.listen()
    _ = world.tap(store: .weChatPay)
    world.goOn { world.weChat.requests.count == 1 }

    #expect(world.disk.text(world.openRecords.first ?? "").contains(#""state":"paying""#))
    let phases = heard.value.compactMap { event -> OrderRecord.Phase? in
      guard case .orderOpen(let order) = event else { return nil }
      return order.phase
    }
    #expect(phases == [.created, .paying])
  }

  @Test func `that WeChat reports as paid but is not is awaiting confirmation, never granted (1A.12, X20)`() {
    let world = ClientWorld()
    world.weChat.next(.init(pays: nil, responds: (.seconds(2), 0)))
    world.launch()
    let heard = world.listen()
    let tap = world.tap(store: .weChatPay)
    world.goOn { tap.isDone }

    let order = world.server.orders.first?.id
    #expect(tap.outcome == order.map { .awaitingConfirmation($0) })
    #expect(order.map { heard.value.contains(.notConfirmed($0)) } == true)
    #expect(world.server.grants.isEmpty)
  }

  @Test func `is polled at once and 5 s later before the user gets an answer, then at 10, 20, 30 s (1A.16)`() {
    let world = ClientWorld()
    world.weChat.next(.init(pays: nil, responds: (.seconds(2), -2)))
    world.launch()
    let tap = world.tap(store: .weChatPay)
    world.goOn { tap.isDone }

    #expect(world.server.pauses("order") == [5])
    #expect(tap.outcome == world.server.orders.first.map { .cancelled($0.id) })
    world.goOn(for: .minutes(5))
    #expect(world.server.pauses("order") == [5, 5, 10, 10])
    #expect(world.server.orders.first?.state == .awaitingPayment, "the cashier may still be open (X18)")
  }

  @Test(arguments: [-1, -3, -4, -5, -7])
  func `that failed in WeChat and is unpaid returns WeChat's number; the order stays (1A.11)`(_ code: Int) {
    let world = ClientWorld()
    world.weChat.next(.init(pays: nil, responds: (.seconds(2), code)))
    world.launch()
    let tap = world.tap(store: .weChatPay)
    world.goOn { tap.isDone }

    #expect(tap.error?.code == .weChatFailed)
    #expect(tap.error?.weChatCode == code)
    #expect(tap.error?.messageKey == .weChat(.init(errCode: code)))
    #expect(world.openRecords.contains { world.disk.text($0).contains("failedOnce") })
  }

  @Test(arguments: [0, -1, -2, -3, -5])
  func `that was paid is granted, whatever WeChat reports (X20)`(_ code: Int) {
    let world = ClientWorld()
    world.weChat.next(.init(pays: .seconds(1), responds: (.seconds(2), code)))
    world.launch()
    let tap = world.tap(store: .weChatPay)
    world.goOn { tap.isDone }

    #expect(tap.outcome == world.server.orders.first.map { .fulfilled($0.id, recovered: false) })
  }

  @Test func `that is paid before the second poll is granted then`() {
    let world = ClientWorld()
    world.weChat.next(.init(pays: .seconds(5), responds: (.seconds(2), -2)))
    world.launch()
    let tap = world.tap(store: .weChatPay)
    world.goOn { tap.isDone }

    #expect(tap.outcome == world.server.orders.first.map { .fulfilled($0.id, recovered: false) })
  }

  @Test func `accepts a repeated response once, and ignores one of another kind (1A.8, 1A.10)`() {
    let world = ClientWorld()
    var visit = ScriptedWeChat.Visit(pays: nil, responds: (.seconds(20), -2))
    visit.times = 2
    world.weChat.next(visit)
    world.launch()
    let tap = world.tap(store: .weChatPay)
    world.goOn { world.weChat.requests.count == 1 }
    world.weChat.respond(WeChatResponse(isPayment: false, errCode: 0))
    world.goOn(for: .seconds(10))
    #expect(world.server.requests("order").isEmpty, "a shared picture is not a payment")

    world.goOn { tap.isDone }
    #expect(tap.outcome == world.server.orders.first.map { .cancelled($0.id) })
  }

  @Test func `paid in WeChat after the user saw "not confirmed" is granted in the background (X18)`() {
    let world = ClientWorld()
    world.weChat.next(.init(pays: .seconds(12), responds: (.seconds(2), -2)))
    world.launch()
    let heard = world.listen()
    let tap = world.tap(store: .weChatPay)
    world.goOn { tap.isDone }
    #expect(tap.outcome == world.server.orders.first.map { .cancelled($0.id) })
    world.goOn(for: .minutes(1))

    let order = world.server.orders.first?.id
    #expect(order.map { heard.value.contains(.orderGranted($0)) } == true)
    #expect(world.openRecords == [])
  }

  @Test func `that the user left is paid again as the same order, with fresh parameters (record 42)`() {
    let world = ClientWorld()
    world.weChat.next(.init(pays: nil, responds: (.seconds(2), -2)))
    world.launch()
    let first = world.tap(store: .weChatPay)
    world.goOn { first.isDone }
    let second = world.tap(store: .weChatPay)
    world.goOn { second.isDone }

    #expect(world.server.orders.count == 1)
    #expect(second.outcome == world.server.orders.first.map { .fulfilled($0.id, recovered: false) })
    #expect(Set(world.weChat.requests.map(\.nonceStr)).count == 2)
  }

  @Test func `of another quantity closes the open order first, at WeChat Pay too`() {
    let world = ClientWorld()
    world.weChat.next(.init(pays: nil, responds: (.seconds(2), -2)))
    world.launch()
    let first = world.tap(store: .weChatPay)
    world.goOn { first.isDone }
    let second = world.tap(quantity: 3, store: .weChatPay)
    world.goOn { second.isDone }

    #expect(world.server.orders.map(\.state) == [.closed, .paid])
    #expect(world.server.grants.map(\.quantity) == [3])
  }

  @Test func `is not charged twice if the earlier order turns out to be paid (1A.56)`() {
    let world = ClientWorld()
    world.weChat.next(.init(pays: .seconds(60), responds: (.seconds(2), -2)))
    world.launch()
    let first = world.tap(store: .weChatPay)
    world.goOn { first.isDone }
    world.goOn(for: .minutes(2))
    // The polls of that run are over; the client does not know of the payment yet.
    let second = world.tap(store: .weChatPay)
    world.goOn { second.isDone }

    #expect(second.outcome == world.server.orders.first.map { .fulfilled($0.id, recovered: true) })
    #expect(world.weChat.requests.count == 1)
    #expect(world.server.grants.count == 1)
  }

  @Test func `fails if WeChat did not open, but is polled first`() {
    let world = ClientWorld()
    var visit = ScriptedWeChat.Visit(pays: nil, responds: nil)
    visit.failure = WeChatFailure(explanation: "sendReq returned false")
    world.weChat.next(visit)
    world.launch()
    let tap = world.tap(store: .weChatPay)
    world.goOn { tap.isDone }

    #expect(tap.error?.code == .weChatFailed)
    #expect(world.server.requests("order").count == 2)
  }

  @Test func `that cannot be polled is awaiting confirmation, also if WeChat reports a cancellation (X20)`() {
    let world = ClientWorld()
    world.weChat.next(.init(pays: .seconds(1), responds: (.seconds(2), -2)))
    world.launch()
    let tap = world.tap(store: .weChatPay)
    world.goOn { world.weChat.requests.count == 1 }
    world.server.always("order", .requestLost)
    world.goOn { tap.isDone }

    #expect(tap.outcome == world.server.orders.first.map { .awaitingConfirmation($0.id) })
    world.server.always("order", nil)
    world.goOn(for: .minutes(1))
    #expect(world.openRecords == [])
  }

  @Test func `still open in WeChat after three minutes is awaiting confirmation, and granted when paid`() {
    let world = ClientWorld()
    world.weChat.next(.init(pays: .minutes(10), responds: (.minutes(10), 0)))
    world.launch()
    let begin = world.clock.now
    let tap = world.tap(store: .weChatPay)
    world.goOn { tap.isDone }

    #expect(tap.outcome == world.server.orders.first.map { .awaitingConfirmation($0.id) })
    #expect(world.clock.now - begin <= .seconds(185))
    world.goOn(for: .minutes(20))
    #expect(world.server.grants.count == 1)
    #expect(world.openRecords == [])
  }

  @Test func `that another user began is not shown to the current user (S20)`() {
    let world = ClientWorld()
    world.weChat.next(.init(pays: .seconds(30), responds: nil))
    world.launch()
    _ = world.tap(store: .weChatPay)
    world.goOn { world.weChat.requests.count == 1 }
    world.launch(as: "bert")
    let heard = world.listen()
    world.goOn(for: .minutes(2))
    #expect(heard.value == [])

    world.launch(as: "anna")
    world.goOn(for: .minutes(1))
    #expect(world.server.grants.map(\.user) == ["anna"])
    #expect(world.openRecords == [])
  }
}
