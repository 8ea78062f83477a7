import Counterfoil
import CounterfoilAPI
import CounterfoilSwiftUI
import CounterfoilTesting
import Observation
import PaymentPrimitives
import Synchronization
import Testing

private let order: OrderIdentifier = {
  guard let id = OrderIdentifier("0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b") else { preconditionFailure("no id") }
  return id
}()

@MainActor @Suite struct `A shop's page` {
  let service = ScriptedService()

  @Test func `buys nothing by a second tap while the first is under way`() async {
    let shop = ShopModel(service)
    await service.next(.success(.fulfilled(order, recovered: false)))
    await service.hold()
    let first = Task { await shop.buy("coins60") }
    #expect(await eventually { await service.purchases.count == 1 })
    #expect(shop.isBusy("coins60") && !shop.isBusy("coins300"))
    #expect(await shop.buy("coins60") == nil)
    await service.release()
    #expect(await first.value == .fulfilled(order, recovered: false))
    #expect(await service.purchases.count == 1)
    #expect(!shop.isBusy("coins60"))
  }

  @Test func `shows why a purchase was refused, and can be tapped again`() async {
    let shop = ShopModel(service, language: .chinese)
    await service.next(.failure(PurchasingError(.paymentsDisabled)))
    #expect(await shop.buy("coins60") == nil)
    #expect(shop.notice?.key == .error(.paymentsDisabled))
    #expect(shop.notice?.text == CustomerMessages.ours(.error(.paymentsDisabled)).chinese)
    #expect(!shop.isBusy("coins60") && shop.grants == 0)
    shop.dismiss()
    #expect(shop.notice == nil)
  }

  @Test(arguments: [
    PurchaseOutcome.fulfilled(order, recovered: false), .pendingApproval(order), .renewalChanged(order),
    .awaitingConfirmation(order), .notGranted(order, .held, reason: "ownerAmbiguous"),
  ])
  func `shows each outcome in its own words, with the order's number`(outcome: PurchaseOutcome) async {
    let shop = ShopModel(service)
    await service.next(.success(outcome))
    #expect(await shop.buy("coins60") == outcome)
    #expect(shop.notice?.text == CustomerMessages.ours(outcome.messageKey).english)
    #expect(shop.notice?.order == order)
    #expect(shop.grants == 0, "an event reports what was granted, not the tap (1A.68)")
  }

  @Test func `follows events, counts grants, and clears a promoted purchase when it is bought (1A.68)`() async {
    let shop = ShopModel(service)
    let page = Task { await shop.run() }
    service.emit(.fulfilled("1", order: order, firstSeen: true))
    service.emit(.orderGranted(order))
    let promoted = PromotedPayment(handle: "promoted-1", product: "com.example.coins60")
    service.emit(.promotedPayment(promoted))
    service.emit(.promotedPayment(promoted))
    service.emit(.slowCallback(order))
    #expect(await eventually { shop.notice?.key == .event(.slowCallback) })
    #expect(shop.grants == 2)
    #expect(shop.promoted == [promoted])
    var details = PurchaseDetails()
    details.promoted = promoted
    await service.next(.success(.cancelled(order)))
    await shop.buy("coins60", details: details)
    #expect(shop.promoted.isEmpty)
    #expect(await service.purchases.first?.details.promoted == promoted)
    page.cancel()
    await page.value
  }

  @Test func `shows nothing after Cancel (B3)`() async {
    let shop = ShopModel(service)
    await service.next(.success(.cancelled(order)))
    #expect(await shop.buy("coins60") == .cancelled(order))
    await service.next(.failure(PurchasingError(.purchaseAbandoned)))
    #expect(await shop.buy("coins60") == nil)
    #expect(shop.notice == nil && !shop.isBusy("coins60"))
  }

  @Test func `recovers for the given reason, and restores on the customer's tap alone`() async {
    let shop = ShopModel(service)
    await shop.recover()
    await shop.recover(.userAsked)
    #expect(await service.recoveries == [.foreground, .userAsked])
    #expect(await shop.restore() == RecoveryReport())
    await service.restores(.failure(PurchasingError(.restoreFailed)))
    #expect(await shop.restore() == nil)
    #expect(shop.notice?.key == .error(.restoreFailed))
    #expect(!shop.isRestoring)
  }

  @Test func `says what a restore found, and nothing if the customer cancelled it (B15)`() async {
    let shop = ShopModel(service, language: .chinese)
    #expect(await shop.restore() != nil)
    #expect(shop.notice?.text == "没有可恢复的购买项目。")
    var found = RecoveryReport()
    found.fulfilled = 2
    await service.restores(.success(found))
    await shop.restore()
    #expect(shop.notice?.text == "已恢复 2 个购买项目。")
    shop.dismiss()
    var cancelled = RecoveryReport()
    (cancelled.isCancelled, cancelled.isComplete) = (true, false)
    await service.restores(.success(cancelled))
    await shop.restore()
    #expect(shop.notice == nil)
  }

  @Test func `recovers when it comes from the background, and not after a sheet (W10)`() async {
    let shop = ShopModel(service)
    for _ in 0..<5 { await shop.becameActive() }
    #expect(await service.recoveries.isEmpty)
    shop.wentToBackground()
    await shop.becameActive()
    await shop.becameActive()
    #expect(await service.recoveries == [.foreground])
  }

  @Test func `in two windows is one shop: each event counts once, and one window takes over the other (B5)`() async {
    let shop = ShopModel(service)
    let first = Task { await shop.run() }
    #expect(await eventually { await service.followers == 1 })
    let second = Task { await shop.run() }
    let third = Task { await shop.run() }
    service.emit(.fulfilled("1", order: order, firstSeen: true))
    #expect(await eventually { shop.grants == 1 })
    #expect(await service.followers == 1)
    third.cancel()
    await third.value
    first.cancel()
    await first.value
    #expect(await eventually { await service.followers == 2 })
    second.cancel()
    await second.value
    #expect(shop.grants == 1)
  }

  @Test func `shows a text in the window that the customer used last (B5)`() {
    let shop = ShopModel(service)
    let (left, right) = (ShopWindow(), ShopWindow())
    shop.page.show(in: left)
    shop.page.show(in: right)
    #expect(!shop.page.showsTexts(in: left) && shop.page.showsTexts(in: right))
    shop.page.show(in: left)
    #expect(shop.page.showsTexts(in: left) && !shop.page.showsTexts(in: right))
    shop.page.close(left)
    #expect(shop.page.showsTexts(in: right))
  }

  @Test func `takes the progress indicator away when WeChat opens`() async throws {
    let shop = ShopModel(service)
    let bench = TestBench()
    bench.weChat.next(.init(pays: nil))
    try bench.launch(as: "alice")
    bench.begin { _ = try? await $0.purchase("coins60", store: .weChatPay) }
    bench.goOn(for: .seconds(5))
    let open = try bench.run { await $0.openOrders() }
    let placed = try #require(open.first)
    await service.show(open)
    await service.next(.success(.fulfilled(placed.order.id, recovered: false)))
    await service.hold()
    let page = Task { await shop.run() }
    let buying = Task { await shop.buy("coins60", store: .weChatPay) }
    #expect(await eventually { shop.isBusy("coins60") })
    service.emit(.openedWeChat(placed.order.id))
    #expect(await eventually { !shop.isBusy("coins60") && shop.away == ["coins60"] })
    await service.release()
    _ = await buying.value
    #expect(shop.away.isEmpty)
    page.cancel()
    await page.value
  }

  @Test func `reads its products, and keeps them if the server is away for a while`() async {
    let shop = ShopModel(service)
    await service.sell(.failure(PurchasingError(.serverUnreachable)))
    await shop.readProducts()
    #expect(shop.products == .unreadable(PurchasingError(.serverUnreachable)))
    let item = CatalogItem("coins60", kind: .consumable, grant: .units("coins", amount: 60))
    await service.sell(.success(Catalog(items: [item])))
    await shop.readProducts()
    await service.sell(.failure(PurchasingError(.serverUnreachable)))
    await shop.readProducts()
    #expect(shop.products.items == [item])
  }

  @Test func `says what prevents a purchase before the customer taps (1A.18)`() async {
    let shop = ShopModel(service, language: .chinese)
    await service.makeAvailable(
      PurchaseAvailability(isSignedIn: false, appStore: .forbidden, weChat: .absent, canRecord: true))
    #expect(shop.obstacles.isEmpty)
    await shop.check()
    #expect(
      shop.obstacles == [
        CustomerMessages.ours(.error(.notSignedIn)).chinese, CustomerMessages.ours(.error(.paymentsDisabled)).chinese,
      ])
  }

  @Test func `calls UIKit's code after each change, from iOS 15`() async {
    let page = ShopPageModel(service)
    var seen: [Bool] = []
    page.onChange = { seen.append($0.isRestoring) }
    await page.restore()
    #expect(seen == [true, true, false])
  }

  @Test func `shows unread data as unknown, never as empty`() async {
    let shop = ShopModel(service)
    #expect(shop.rights == .unread)
    await service.have(PurchasingError(.serverUnreachable))
    await shop.readRights()
    #expect(shop.rights == .unreadable(PurchasingError(.serverUnreachable)))
    #expect(shop.notice == nil)
    await service.have([], [])
    await shop.readRights()
    #expect(shop.rights == .read(entitlements: [], balances: []))
  }

  @Test func `shows what the customer has by the read that began last, whichever ends first`() async {
    let shop = ShopModel(service)
    await service.holdReadings()
    await service.have([Entitlement("club", state: .active, store: .appStore, environment: .production)], [])
    let first = Task { await shop.readRights() }
    #expect(await eventually { await service.readings == 1 })
    await service.have([], [])
    let second = Task { await shop.readRights() }
    #expect(await eventually { await service.readings == 2 })
    await service.releaseReading()
    await second.value
    await service.releaseReading()
    await first.value
    #expect(shop.rights == .read(entitlements: [], balances: []))
  }

  @Test func `reads what the customer has again on recovery, if the page has shown it and something happened`() async {
    let shop = ShopModel(service)
    await shop.recover()
    #expect(await service.readings == 0)
    await shop.readRights()
    await shop.recover()
    #expect(await service.ages == [.zero, .minutes(10)], "a young answer needs no request")
    var report = RecoveryReport()
    report.fulfilled = 1
    await service.recover(with: report)
    await shop.recover()
    await shop.recover(.userAsked)
    #expect(await service.ages == [.zero, .minutes(10), .zero, .zero])
  }

  @Test func `notifies observers when it changes`() async {
    let shop = ShopModel(service)
    let counter = Counter()
    withObservationTracking {
      _ = shop.notice
    } onChange: {
      counter.add()
    }
    await service.next(.success(.pendingApproval(order)))
    await shop.buy("coins60")
    #expect(counter.count == 1)
  }
}

private final class Counter: Sendable {
  private let state = Mutex(0)
  func add() { state.withLock { $0 += 1 } }
  var count: Int { state.withLock { $0 } }
}
