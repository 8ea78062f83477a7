import Counterfoil
import CounterfoilAPI
import CounterfoilTesting
import PaymentPrimitives
import Testing

/// The eight ways in which WeChat's callback gets lost, through the shipped adapter. A paid order is granted, an unpaid
/// order stays open, and the client never decides by itself.
@MainActor @Suite struct `A callback of WeChat that is lost to the adapter` {
  /// A visit to WeChat that returns no callback.
  ///
  /// - Parameters:
  ///   - pays: when the customer pays, after the opening; nil: never.
  ///   - returns: when the app comes to the foreground; nil: it never left it.
  private func visit(pays: TimeSpan? = nil, returns: TimeSpan? = .seconds(10), isKilled: Bool = false) {
    let world = ClientWorld()
    world.weChat.next(.init(pays: pays, responds: nil))
    world.launchWithOpenSDK()
    let tap = world.tap(store: .weChatPay)
    world.goOn { world.weChat.requests.count == 1 }
    if isKilled {
      world.kill()
      world.clock.pass(returns ?? .zero)
      world.launchWithOpenSDK()
    } else if let returns {
      world.goOn(for: returns)
      world.comeToForeground()
    }
    if !isKilled { world.goOn { tap.isDone } }
    world.goOn(for: .minutes(1))

    let order = world.server.orders.first
    #expect(order != nil)
    if pays == nil {
      #expect(tap.outcome == order.map { .awaitingConfirmation($0.id) })
      #expect(order?.state == .awaitingPayment, "only the server closes an order")
      #expect(world.server.grants.isEmpty)
      #expect(world.openRecords.count == 1)
    } else {
      #expect(order?.state == .paid)
      #expect(world.server.grants.map(\.order) == order.map { [$0.id] })
      #expect(world.openRecords == [])
    }
    #expect(world.server.requests("close").isEmpty)
    #expect(world.faults() == [])
    // Nothing stays forever: an unpaid order expires at the server, and its record is deleted.
    world.kill()
    world.clock.pass(.hours(3))
    world.launchWithOpenSDK()
    world.goOn(for: .minutes(1))
    #expect(world.openRecords == [])
    #expect(world.server.grants.count == (pays == nil ? 0 : 1))
  }

  @Test func `because the pay sheet was closed with the system's back key`() { visit() }

  @Test func `because the password box was left by system navigation, nothing typed`() {
    visit(returns: .seconds(20))
  }

  @Test func `because the customer went to the home screen, then to the app (1A.15.3)`() {
    visit(returns: .seconds(45))
    visit(pays: .seconds(30), returns: .seconds(10))
  }

  @Test func `because the screen was locked and unlocked over the pay sheet (1A.15.4)`() {
    visit(returns: .seconds(15))
    visit(pays: .seconds(25), returns: .seconds(15))
  }

  @Test func `because the notification shade was pulled down over the pay sheet (1A.15.5)`() {
    visit(returns: .seconds(4))
    visit(pays: .seconds(14), returns: .seconds(4))
  }

  @Test func `because the customer paid and left by home, navigation or back instead of "done" (1A.15.6)`() {
    visit(pays: .seconds(4))
    visit(pays: .seconds(4), isKilled: true)
  }

  @Test func `because WeChat was logged out, and the customer came back in the middle of the login`() {
    visit(returns: .seconds(30))
  }

  @Test func `because the chooser between two WeChats was cancelled, so that the app never left (1A.15.8)`() {
    visit(returns: nil)
  }
}

@MainActor @Suite struct `A callback of WeChat that the adapter receives` {
  private func outcome(
    _ visit: ScriptedWeChat.Visit
  ) -> (outcome: PurchaseOutcome?, error: PurchasingError?, world: ClientWorld) {
    let world = ClientWorld()
    world.weChat.next(visit)
    world.launchWithOpenSDK()
    let tap = world.tap(store: .weChatPay)
    world.goOn { tap.isDone }
    return (tap.outcome, tap.error, world)
  }

  @Test func `and that reports success grants nothing that was not paid (1A.12)`() {
    let (outcome, _, world) = outcome(.init(pays: nil, responds: (.seconds(2), 0)))
    #expect(outcome == world.server.orders.first.map { .awaitingConfirmation($0.id) })
    #expect(world.server.grants.isEmpty)
  }

  @Test func `and that reports a cancellation takes nothing from a paid order (X20)`() {
    let (outcome, _, world) = outcome(.init(pays: .seconds(1), responds: (.seconds(2), -2)))
    #expect(outcome == world.server.orders.first.map { .fulfilled($0.id, recovered: false) })
    #expect(world.server.grants.count == 1)
  }

  @Test(arguments: [-1, -3, -4, -5, -77])
  func `with another number makes the client ask the server, and has its own message (1A.11, X20)`(_ number: Int) {
    let (outcome, error, world) = outcome(.init(pays: nil, responds: (.seconds(2), number)))
    #expect(outcome == nil && error?.weChatCode == number)
    #expect(error?.messageKey == .weChat(.init(errCode: number)))
    #expect(world.server.orders.first?.state == .awaitingPayment)
  }

  @Test func `twice counts as one, and grants once (1A.8)`() {
    var twice = ScriptedWeChat.Visit()
    twice.times = 2
    let (outcome, _, world) = outcome(twice)
    world.goOn(for: .minutes(1))
    #expect(outcome == world.server.orders.first.map { .fulfilled($0.id, recovered: false) })
    #expect(world.server.grants.count == 1)
  }

  @Test func `for an earlier process has no receiver: the client asks the server, and the order is granted (1A.12)`() {
    let world = ClientWorld()
    world.weChat.next(.init(pays: .seconds(3), responds: (.seconds(4), 0)))
    world.launchWithOpenSDK()
    _ = world.tap(store: .weChatPay)
    world.goOn { world.weChat.requests.count == 1 }
    world.kill()
    world.clock.pass(.seconds(10))
    world.launchWithOpenSDK()
    world.goOn(for: .seconds(30))
    #expect(world.server.grants.count == 1)
    #expect(world.openRecords == [])
  }

  @Test func `from an earlier launch with its own order does not decide a later order (1A.8)`() {
    let world = ClientWorld()
    world.weChat.next(.init(pays: nil, responds: nil), .init(pays: .seconds(20), responds: (.seconds(21), 0)))
    world.launchWithOpenSDK()
    _ = world.tap(store: .weChatPay)
    world.goOn { world.weChat.requests.count == 1 }
    world.kill()
    world.launchWithOpenSDK()
    let tap = world.tap("coins12", store: .weChatPay)
    world.goOn { world.weChat.requests.count == 2 }
    world.weChat.respond(WeChatResponse(errCode: -2, extData: world.weChat.requests[0].extData))
    world.goOn { tap.isDone }

    let later = world.server.orders.first { $0.id.appAccountToken == world.weChat.requests[1].extData }
    #expect(tap.outcome == later.map { .fulfilled($0.id, recovered: false) })
    #expect(world.server.grants.count == 1)
  }

  @Test func `is replaced by a poll if WeChat did not open, before the user gets an answer`() {
    var closed = ScriptedWeChat.Visit(pays: nil, responds: nil)
    closed.failure = WeChatFailure(explanation: "not opened")
    let (outcome, error, world) = outcome(closed)
    #expect(outcome == nil && error?.code == .weChatFailed)
    #expect(!world.server.requests("order").isEmpty)
  }
}
