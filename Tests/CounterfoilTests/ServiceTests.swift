import Counterfoil
import CounterfoilAPI
import CounterfoilTesting
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import TestDoubles
import Testing

@Suite struct `The products of a store` {
  private func listing(_ ids: [StoreProductIdentifier], in world: ClientWorld) -> ProductListing? {
    world.ask { await $0.storeProducts(ids) }
  }

  @Test func `that it does not know are named (1A.20)`() {
    let world = ClientWorld()
    world.launch()
    world.goOn(for: .seconds(1))
    let answer = listing(["com.example.coins60", "com.example.typo"], in: world)

    #expect(answer?.products.map(\.id) == ["com.example.coins60"])
    guard case .answered(let products) = answer else { return #expect(Bool(false), "no answer") }
    #expect(products.unknown == ["com.example.typo"])
    #expect(world.eventLog.lines.contains { $0.contains("client.products.unknown ids=com.example.typo") })
  }

  @Test func `are returned with the likely causes, in order, if it knows none of them (1A.17)`() {
    let world = ClientWorld()
    world.store.answerProducts(.nothing)
    world.launch()
    world.goOn(for: .seconds(1))
    let causes = listing(["com.example.coins60"], in: world)?.causesToCheck ?? []

    let heads = causes.map { $0.english.prefix { $0 != ":" } }
    #expect(heads == ["Agreements", "Product state", "Bundle id", "Sandbox account"])
    #expect(causes.allSatisfy { !$0.chinese.isEmpty })
  }

  @Test(arguments: [ScriptedAppStore.ProductAnswer.fails, .hangs])
  func `delay a listing by at most 4 s, and an order not at all (1A.22)`(_ answer: ScriptedAppStore.ProductAnswer) {
    let world = ClientWorld()
    world.store.answerProducts(answer)
    world.configure = { $0.storeProducts = ["com.example.coins60"] }
    world.launch()
    world.goOn(for: .seconds(1))
    let begin = world.clock.now
    let listed = listing(["com.example.coins60"], in: world)
    #expect(world.clock.now - begin <= .seconds(4))
    #expect(listed?.products == [])
    #expect(listed?.causesToCheck == [], "no known cause lies in the products")

    let tap = world.tap()
    world.goOn { tap.isDone }
    #expect(tap.outcome == world.server.orders.first.map { .fulfilled($0.id, recovered: false) })
  }

  @Test func `that are not sold fail through the normal callback, as an unknown product (1A.22)`() {
    let world = ClientWorld()
    world.store.next(.fails(StoreFailure(.productUnavailable, code: 5, explanation: "invalid product id")))
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }

    #expect(tap.error?.code == .productUnknown)
    #expect(tap.error?.storeFailure?.code == 5)
  }
}

@Suite struct `A purchase that is complete at delivery` {
  @Test func `returns when the app's backend has acknowledged`() {
    let world = ClientWorld()
    world.server.acknowledge(after: .seconds(40))
    world.configure = { $0.policies.complete = .delivered }
    world.launch()
    let heard = world.listen()
    let begin = world.clock.now
    let tap = world.tap()
    world.goOn { tap.isDone }

    #expect(tap.outcome == world.server.orders.first.map { .fulfilled($0.id, recovered: false) })
    #expect(world.clock.now - begin >= .seconds(40))
    #expect(world.server.orders.first.map { heard.value.contains(.delivered($0.id)) } == true)
    #expect(world.store.queue == [], "finishing waits for the grant alone")
  }

  @Test func `is awaiting confirmation if that takes longer than a purchase may`() {
    let world = ClientWorld()
    world.server.acknowledge(after: .hours(1))
    world.configure = { $0.policies.complete = .delivered }
    world.launch()
    let begin = world.clock.now
    let tap = world.tap()
    world.goOn { tap.isDone }

    #expect(tap.outcome == world.server.orders.first.map { .awaitingConfirmation($0.id) })
    #expect(world.clock.now - begin <= .seconds(185))
    #expect(world.openRecords == [])
  }

  @Test func `does not wait if no backend receives deliveries`() {
    let world = ClientWorld()
    world.configure = { $0.policies.complete = .delivered }
    world.launch()
    let tap = world.tap()
    world.goOn(for: .seconds(20)) { tap.isDone }

    #expect(tap.outcome == world.server.orders.first.map { .fulfilled($0.id, recovered: false) })
  }
}

@Suite struct `A purchase from outside the app` {
  @Test func `waits for the app, and is passed on with its order (SK1-21)`() {
    let world = ClientWorld()
    let promoted = PromotedPayment(handle: "promo-1", product: "com.example.coins60")
    world.launch()
    let heard = world.listen()
    world.goOn(for: .seconds(1))
    world.store.promote(promoted)
    world.goOn(for: .seconds(5))
    #expect(heard.value == [.promotedPayment(promoted)])
    let late = world.listen()
    world.goOn(for: .seconds(1))
    #expect(late.value == [.promotedPayment(promoted)], "a page that opens later receives it, too")
    #expect(world.store.sheets.isEmpty)

    var details = PurchaseDetails()
    details.promoted = promoted
    details.offer = .winBack(id: "come-back")
    let tap = world.tap(details: details)
    world.goOn { tap.isDone }
    let after = world.listen()
    world.goOn(for: .seconds(1))
    #expect(!after.value.contains(.promotedPayment(promoted)))
    #expect(world.store.sheets.first?.promoted == promoted)
    #expect(world.store.sheets.first?.offer == .winBack(id: "come-back"))
    #expect(world.store.sheets.first?.token == world.server.orders.first?.id)
  }
}

@Suite struct `A renewal` {
  @Test func `is no user's tap: neither an open sheet's payment nor an orphan (SK1-19)`() {
    let world = ClientWorld()
    world.store.next(.failsThenBuys(after: .minutes(2)))
    world.launch()
    let heard = world.listen()
    _ = world.tap()
    world.goOn(for: .seconds(3))
    world.store.renew("com.example.coins60")
    world.goOn(for: .seconds(20))

    #expect(world.server.bodies("submit").first?["sameRun"] == nil)
    #expect(world.server.bodies("submit").first?["orderIds"] == nil)
    #expect(!heard.value.contains { if case .orphan = $0 { true } else { false } })
  }
}

@Suite struct `Evidence that lags behind the queue` {
  @Test func `is fetched again if the server does not find the transaction in it`() {
    let world = ClientWorld()
    world.store.chargeOutside("com.example.coins60")
    world.store.letEvidenceLag()
    world.server.judge("999", PaymentAnswer(transaction: "999", verdict: .fulfilled))
    world.launch()
    world.goOn(for: .minutes(2))

    #expect(world.store.freshEvidences > 0)
    #expect(world.server.grants.count == 1)
    #expect(world.store.queue == [])
  }
}
