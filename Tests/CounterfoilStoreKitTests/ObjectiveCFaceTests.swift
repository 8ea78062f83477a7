import AppStoreSimulator
import Counterfoil
import CounterfoilStoreKit
import Foundation
import PaymentPrimitives
import SimulatedDevice
import StrictJSON
import TestDoubles
import Testing

/// The calls of an app in Objective-C, at the classes that it calls, with the shipped adapters under them.
@Suite struct `The face for Objective-C on a phone` {
  private func app(_ interface: Phone.Interface) throws -> (ClientFixture, ObjectiveCApp) {
    let world = try ClientFixture()
    let app = ObjectiveCApp(try world.phone(interface), in: world)
    try app.launch()
    return (world, app)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `sells through the App Store, and posts each event once with words for the customer (1A.2-1A.5, 1A.62, B8)`(
    _ interface: Phone.Interface
  ) throws {
    let (world, app) = try app(interface)
    for _ in 0..<2 { app.start() }
    let bought = try #require(app.buy())
    world.goOn(for: .minutes(1))
    #expect(bought.state == .fulfilled && bought.refusal == nil)
    #expect(bought.message.hasPrefix("Your purchase has arrived"))
    #expect(bought.order != nil && app.posted.all.last { $0["event"] == "orderClosed" }?["orderId"] == bought.order)
    for name in ["fulfilled", "orderClosed"] {
      #expect(app.posted.names.count { $0 == name } == 1, "\(name) in \(app.posted.names)")
    }
    #expect(app.posted.all.allSatisfy { $0["message"]?.isEmpty == false })
    #expect(app.lines.all.contains { $0["line"]?.hasPrefix("client.payment.started ") == true })
    #expect(try world.faults() == [])
    #expect(world.charges.count == 1)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `tells a cancel, and a purchase that waits for a parent, as states without an error (1A.43, 1A.45)`(
    _ interface: Phone.Interface
  ) throws {
    let (other, cancelling) = try app(interface)
    cancelling.phone.device.nextAnswers(.cancels(after: .seconds(3)))
    let cancelled = cancelling.buy()
    #expect(cancelled?.state == .cancelled && cancelled?.order != nil && cancelled?.refusal == nil)
    #expect(other.charges.isEmpty)
    let (world, app) = try app(interface)
    app.phone.device.account.switches.asksToBuy = true
    #expect(app.buy()?.state == .pendingApproval)
    while app.phone.device.account.answerApproval(true) {}
    world.goOn(for: .minutes(10))
    #expect(app.posted.names.contains("fulfilled"))
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `makes two taps one order and one sheet, and the second tap is told so (1A.35, 1A.60)`(
    _ interface: Phone.Interface
  ) throws {
    let (world, app) = try app(interface)
    let taps = [app.tap(), app.tap()]
    world.goOn(until: { taps.allSatisfy { $0.value != nil } })
    #expect(taps.count { $0.value?.state == .fulfilled } == 1)
    let second = try #require(taps.first { $0.value?.state == .failed }?.value)
    #expect(second.refusal?.code == "client_purchase_in_progress" && second.order == nil && !second.message.isEmpty)
    #expect(app.phone.device.sheets.count == 1 && world.charges.count == 1)
    world.goOn(for: .minutes(1))
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases, LostSheet.all)
  func `leaves the order granted where money moved, and nothing where it did not (1A.14, 1A.15, 1A.46)`(
    _ interface: Phone.Interface, _ way: LostSheet
  ) throws {
    let (world, app) = try app(interface)
    let device = app.phone.device
    device.behaviours.losesCallbacks = true
    device.account.switches.needsPaymentMethod = way.mustSignIn
    device.nextAnswers(way.answer)
    let tap = app.tap()
    world.goOn(until: { !device.sheets.isEmpty })
    world.goOn(for: way.backAfter)
    app.comeToForeground()
    world.goOn(for: .minutes(40))
    let bought = try #require(tap.value, "the tap does not wait for a callback for ever")
    #expect(bought.state != .fulfilled || way.isCharged, "never a false “bought”")
    app.comeToForeground()
    world.goOn(for: .minutes(5))
    #expect(world.charges.count == (way.isCharged ? 1 : 0))
    #expect(try world.coins(of: "anna") == (way.isCharged ? 6 : 0), "in the same run")
    try app.launch()
    world.goOn(for: .minutes(1))
    #expect(try world.faults(leavesOrders: true) == [])
    #expect(device.sheets.count == 1)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `ends the wait when another user signs in, and leaves the purchase with the user who made it (1A.36, S7, S20)`(
    _ interface: Phone.Interface
  ) throws {
    let (world, app) = try app(interface)
    app.phone.device.nextAnswers(.agrees(after: .seconds(20)))
    let tap = app.tap()
    world.goOn(until: { !app.phone.device.sheets.isEmpty })
    app.signIn("bert")
    world.goOn(for: .seconds(1))
    #expect(tap.value?.state == .awaitingConfirmation && tap.value?.order != nil && world.charges.isEmpty)
    #expect(app.openOrders == [], "bert sees no order of anna")
    world.goOn(for: .minutes(10))
    #expect(try world.coins(of: "bert") == 0)
    try app.launch()
    world.goOn(for: .minutes(10))
    #expect(try world.faults() == [])
    #expect(world.charges.count == 1)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `tells the products, the open orders, the trace for support, and what the user has (1A.18-1A.21, 1A.40)`(
    _ interface: Phone.Interface
  ) throws {
    let (world, app) = try app(interface)
    let shown = app.answer { (face, answer: ObjectiveCApp.Answer<([String], [String], Bool)>) in
      face.products(["com.example.coins6", "com.example.ghost"]) { products, unknown, error in
        answer.end((products.map { "\($0.productIdentifier) \($0.displayPrice)" }, unknown, error == nil))
      }
    }
    #expect(shown?.0.count == 1 && shown?.0.first?.hasPrefix("com.example.coins6 ") == true)
    #expect(shown?.1 == ["com.example.ghost"] && shown?.2 == true)
    app.phone.device.nextAnswers(.cancels(after: .seconds(3)))
    let order = try #require(app.buy()?.order)
    #expect(app.openOrders == ["\(order) failedOnce"])
    #expect(app.support(for: order)?.compactMap(\.self).count == 2)
    #expect(app.buy("premium")?.state == .fulfilled)
    #expect(app.buy()?.state == .fulfilled)
    world.goOn(for: .minutes(1))
    #expect(app.balances?.held == ["coin 6"])
    #expect(app.entitlements?.held == ["premium active"])
    #expect(app.restores() == true)
    #expect(try world.faults(leavesOrders: true) == [])
  }

  @Test func `holds the store's messages until the app shows them, and says why it could not (SK2-31)`() throws {
    let (world, app) = try app(.storeKit2)
    let reasons = SharedValue<[ObjectiveCStoreMessageReason]>([])
    let held = SharedValue<[ObjectiveCStoreMessage]>([])
    app.call { face in
      face.holdStoreMessages { message in
        reasons.value.append(message.reason)
        held.value.append(message)
      }
    }
    world.goOn(for: .seconds(1))
    for message in [DeviceMessage.priceIncreaseConsent, .billingIssue, .winBackOffer, .generic] {
      app.phone.device.messages.post(message)
    }
    #expect(app.buy()?.state == .fulfilled, "nothing lies over the payment")
    #expect(app.phone.device.messages.shown == [])
    #expect(reasons.value == [.priceIncrease, .billingIssue, .winBackOffer, .other])
    let first = try #require(held.value.first)
    let shown = app.answer { (_, answer: ObjectiveCApp.Answer<Bool>) in
      first.show(in: nil) { error in answer.end(error == nil) }
    }
    #expect(shown == true && app.phone.device.messages.shown == [.priceIncreaseConsent])
    let second = held.value[1]
    let refusal = app.answer { (_, answer: ObjectiveCApp.Answer<ObjectiveCApp.Refusal?>) in
      Screen.leaveForeground()
      second.show(in: nil) { error in answer.end(ObjectiveCApp.Refusal(error)) }
    }
    #expect(refusal??.code == "client_store_failed" && refusal??.reason == "the app shows nothing now")
    #expect(app.phone.device.messages.shown.count == 1)
  }

  @Test func `opens the store's own sheets (SK2-17, SK2-24)`() throws {
    let (world, app) = try app(.storeKit2)
    #expect(app.buy()?.state == .fulfilled)
    world.goOn(for: .minutes(1))
    let id = try #require(world.charges.first?.transaction.id.text)
    let opened = app.answer { (face, answer: ObjectiveCApp.Answer<Bool>) in
      face.manageSubscriptions(in: Screen.scene) { error in answer.end(error == nil) }
    }
    #expect(opened == true && app.phone.device.appStoreSheets.subscriptionSheets == 1)
    let sent = app.answer { (face, answer: ObjectiveCApp.Answer<Bool>) in
      face.requestRefund(ofTransaction: id, in: Screen.scene) { isSent, _ in answer.end(isSent) }
    }
    #expect(sent == true)
    app.phone.device.appStoreSheets.nextOfferCode(for: "com.example.coins6")
    let isRedeemed = app.answer { (face, answer: ObjectiveCApp.Answer<Bool>) in
      face.redeemOfferCode(in: Screen.scene) { error in answer.end(error == nil) }
    }
    #expect(isRedeemed == true)
    world.goOn(for: .minutes(1))
    #expect(world.charges.count == 2)
  }
}
