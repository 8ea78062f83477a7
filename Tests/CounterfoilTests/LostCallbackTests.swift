import Counterfoil
import CounterfoilAPI
import CounterfoilTesting
import PaymentPrimitives
import TestDoubles
import Testing

/// One of the eight ways in which WeChat's callback gets lost (1A.15).
struct LostCallback: Sendable, CustomTestStringConvertible {
  let name: String
  /// When the customer pays; nil: they do not.
  var pays: TimeSpan?
  /// When the app comes to the foreground; nil: it never left it.
  var returns: TimeSpan? = .seconds(10)
  /// Whether the app's process is gone when the user returns.
  var isKilled = false

  var testDescription: String { name }

  static let all = [
    LostCallback(name: "pay sheet closed by the system's back key"),
    LostCallback(name: "password box left by system navigation"),
    LostCallback(name: "1A.15.3: to the home screen, then to the app"),
    LostCallback(name: "1A.15.4: locked and unlocked over the pay sheet, then paid", pays: .seconds(25)),
    LostCallback(name: "1A.15.5: notification shade over the pay sheet, then paid", pays: .seconds(14)),
    LostCallback(name: "1A.15.6: password accepted, home instead of \"done\"", pays: .seconds(4)),
    LostCallback(name: "1A.15.6, and the process is gone", pays: .seconds(4), isKilled: true),
    LostCallback(name: "WeChat logged out, back in the middle of the login"),
    LostCallback(name: "1A.15.8: the chooser between two WeChats is cancelled: the app never left", returns: nil),
  ]
}

@Suite struct `A lost callback of WeChat` {
  @Test(arguments: LostCallback.all)
  func `leaves the order granted if money moved, and open if not (1A.14, X17)`(_ way: LostCallback) {
    let world = ClientWorld()
    world.weChat.next(.init(pays: way.pays, responds: nil))
    world.launch()
    let tap = world.tap(store: .weChatPay)
    world.goOn { world.weChat.requests.count == 1 }
    if let returns = way.returns {
      if way.isKilled {
        world.kill()
        world.clock.pass(returns)
        world.launch()
      } else {
        world.goOn(for: returns)
        world.comeToForeground()
      }
    }
    if !way.isKilled { world.goOn { tap.isDone } }
    world.goOn(for: .minutes(1))

    let order = world.server.orders.first
    if way.pays == nil {
      #expect(tap.outcome == order.map { .awaitingConfirmation($0.id) })
      #expect(order?.state == .awaitingPayment)
      #expect(world.openRecords.count == 1)
      #expect(world.server.grants.isEmpty)
    } else {
      #expect(world.server.grants.count == 1)
      #expect(world.openRecords == [])
    }
    // Nothing stays forever: the order expires at the server, and its record is deleted.
    world.kill()
    world.clock.pass(.hours(3))
    world.launch()
    world.goOn(for: .minutes(1))
    #expect(world.openRecords == [])
  }

  @Test func `is recovered by the link that opens the app, also in a new process`() {
    let world = ClientWorld()
    world.weChat.next(.init(pays: .seconds(3), responds: (.seconds(4), 0)))
    world.launch()
    _ = world.tap(store: .weChatPay)
    world.goOn { world.weChat.requests.count == 1 }
    world.kill()
    world.clock.pass(.seconds(10))
    world.launch()
    let report = world.ask { await $0.recover(.link) }
    world.goOn(for: .seconds(1))

    #expect(report?.isComplete == true)
    #expect(world.server.grants.count == 1)
    #expect(world.openRecords == [])
  }

  @Test func `is shown to the user 30 s after the foreground, not before (1A.75)`() {
    let world = ClientWorld()
    world.store.next(.hangs)
    world.launch()
    let heard = world.listen()
    let tap = world.tap()
    world.goOn { world.store.sheets.count == 1 }
    world.letPass(.seconds(20))
    world.comeToForeground()
    world.letPass(.seconds(29))
    let order = world.server.orders.first?.id
    #expect(order.map { heard.value.contains(.slowCallback($0)) } == false)
    world.letPass(.seconds(2))
    #expect(order.map { heard.value.contains(.slowCallback($0)) } == true)
    #expect(!tap.isDone, "the hint decides nothing")
  }

  @Test func `is not shown once the purchase is decided: an error stops the timer (1A.75)`() {
    let world = ClientWorld()
    world.store.next(.cancels)
    world.launch()
    let heard = world.listen()
    _ = world.tap()
    world.goOn { world.store.sheets.count == 1 }
    world.comeToForeground()
    world.goOn(for: .minutes(2))

    #expect(!heard.value.contains { if case .slowCallback = $0 { true } else { false } })
  }
}
