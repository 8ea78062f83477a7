import Counterfoil
import CounterfoilAPI
import CounterfoilSwiftUI
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
    PurchaseOutcome.fulfilled(order, recovered: false), .cancelled(order), .pendingApproval(order),
    .renewalChanged(order), .awaitingConfirmation(order), .notGranted(order, .held, reason: "ownerAmbiguous"),
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

  @Test func `reads what the customer has again on recovery, if the page has shown it`() async {
    let shop = ShopModel(service)
    await shop.recover()
    #expect(await service.readings == 0)
    await shop.readRights()
    await shop.recover()
    #expect(await service.readings == 2)
  }

  @Test func `notifies observers when it changes`() async {
    let shop = ShopModel(service)
    let counter = Counter()
    withObservationTracking {
      _ = shop.notice
    } onChange: {
      counter.add()
    }
    await service.next(.success(.cancelled(order)))
    await shop.buy("coins60")
    #expect(counter.count == 1)
  }
}

private final class Counter: Sendable {
  private let state = Mutex(0)
  func add() { state.withLock { $0 += 1 } }
  var count: Int { state.withLock { $0 } }
}
