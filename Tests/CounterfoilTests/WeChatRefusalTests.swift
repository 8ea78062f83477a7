import Counterfoil
import CounterfoilTesting
import PaymentPrimitives
import Testing

@Suite struct `A purchase through WeChat is refused` {
  @Test func `if WeChat is not installed, before any request (1A.6)`() {
    let world = ClientWorld()
    world.weChat.install(false)
    world.launch()
    let tap = world.tap(store: .weChatPay)
    world.goOn { tap.isDone }

    #expect(tap.error?.code == .weChatNotInstalled)
    #expect(world.weChat.requests.isEmpty)
    #expect(world.server.requests("create").isEmpty)
  }

  @Test func `if the order is for another app at WeChat, and nothing opens (1A.7)`() {
    let world = ClientWorld()
    world.server.useWeChatApp("wx0000000000000002")
    world.launch()
    let tap = world.tap(store: .weChatPay)
    world.goOn { tap.isDone }

    #expect(tap.error?.code == .weChatAppDiffers)
    #expect(world.weChat.requests.isEmpty)
  }

  @Test func `in an app that was built without WeChat`() {
    let world = ClientWorld()
    world.hasWeChat = false
    world.launch()
    let tap = world.tap(store: .weChatPay)
    world.goOn { tap.isDone }

    #expect(tap.error?.code == .weChatAbsent)
  }

  @Test func `if the vault cannot write: WeChat does not open (X7)`() {
    let world = ClientWorld()
    world.launch()
    world.goOn(for: .seconds(1))
    world.disk.refuseWrites(true)
    let tap = world.tap(store: .weChatPay)
    world.goOn { tap.isDone }

    #expect(tap.error?.code == .vaultUnavailable)
    #expect(world.weChat.requests.isEmpty)
  }

  @Test func `while an order of another quantity is open and cannot be closed`() {
    let world = ClientWorld()
    world.weChat.next(.init(pays: nil, responds: (.seconds(1), 0)))
    world.launch()
    let first = world.tap(store: .weChatPay)
    world.goOn { first.isDone }
    world.server.always("close", .answers(ScriptedBackend.problem(503, "busy")))
    let second = world.tap(quantity: 2, store: .weChatPay)
    world.goOn { second.isDone }

    #expect(second.error?.code == .serverUnreachable)
    #expect(world.weChat.requests.count == 1)
  }
}
