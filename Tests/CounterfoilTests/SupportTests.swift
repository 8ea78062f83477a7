import Counterfoil
import CounterfoilAPI
import CounterfoilTesting
import PaymentPrimitives
import TestDoubles
import Testing

@Suite struct `A support bundle` {
  @Test func `is not made for an order that the device does not know`() {
    let world = ClientWorld()
    world.launch()
    world.goOn(for: .seconds(1))
    let bundle = world.ask { await $0.supportBundle(for: OrderIdentifier(high: 1, low: 1)) }

    #expect(bundle == .some(nil))
  }

  @Test func `shows one order's history, without a person, token or evidence`() throws {
    let world = ClientWorld()
    world.store.next(.failsThenBuys(after: .seconds(40)))
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }
    let order = try #require(world.server.orders.first?.id)
    world.server.judge("1000", PaymentAnswer(transaction: "1000", verdict: .pending))
    world.goOn(for: .seconds(45)) { world.server.requests("submit").count == 1 }
    world.goOn(for: .seconds(1))
    let text = try #require(world.ask { await $0.supportBundle(for: order) } ?? nil).text

    for fact in [
      order.description, "store: appStore", "product: coins60", " created", " paying", " failedOnce", " paid",
      "transaction: 1000 pending", "client.payment.failed", "client.verdict transaction=1000",
    ] { #expect(text.contains(fact), "\(fact) is missing in \(text)") }
    for secret in ["anna", "token-", "Bearer", world.store.charges.first?.evidence ?? "-", "purchaseDate"] {
      #expect(!text.contains(secret), "the text contains \(secret)")
    }
  }

  @Test func `does not show other orders`() throws {
    let world = ClientWorld()
    world.store.next(.hangs, .hangs)
    world.launch()
    _ = world.tap("coins60")
    _ = world.tap("coins12")
    world.goOn { world.store.sheets.count == 2 }
    let orders = world.server.orders.map(\.id)
    let first = try #require(orders.first)
    let text = try #require(world.ask { await $0.supportBundle(for: first) } ?? nil).text

    #expect(!text.contains(try #require(orders.last).description))
  }

  @Test func `has its history after a kill, too: the steps are in the vault`() throws {
    let world = ClientWorld()
    world.store.next(.hangs)
    world.launch()
    _ = world.tap()
    world.goOn { world.store.sheets.count == 1 }
    let order = try #require(world.server.orders.first?.id)
    world.launch()
    world.goOn(for: .minutes(1))
    let text = try #require(world.ask { await $0.supportBundle(for: order) } ?? nil).text

    #expect(text.contains(" created") && text.contains(" paying"))
  }

  @Test func `has a code of eight letters, the same on each device and at the server`() throws {
    let order = try #require(OrderIdentifier("0190f0c8-0000-7000-8000-000000000001"))
    #expect(order.supportCode == "LQLWAAAB")
    let other = try #require(OrderIdentifier("0190f0c8-0000-7000-bfff-ffffffffffff"))
    #expect(other.supportCode.count == 8)
    #expect(other.supportCode.allSatisfy { $0.isLetter && $0.isUppercase && $0 != "I" && $0 != "O" })
  }
}

@Suite struct `The messages for the customer` {
  @Test(arguments: CustomerMessageKey.allCases)
  func `exist in two languages, and contain nothing technical`(_ key: CustomerMessageKey) {
    let text = CustomerMessages.ours(key)

    #expect(text.english.utf8.count > 10)
    #expect(text.english.last.map { ".!?".contains($0) } == true)
    #expect(text.chinese.unicodeScalars.contains { (0x4E00...0x9FFF).contains($0.value) })
    for word in ["nil", "error code", "HTTP", "JSON", "vault", "transaction id"] {
      #expect(!text.english.contains(word))
    }
  }

  @Test func `differ from key to key, except for the two that confirm the arrival`() {
    let keys = CustomerMessageKey.allCases
    let texts = Set(keys.map { CustomerMessages.ours($0) })
    #expect(texts.count >= keys.count - 2, "\(keys.count) keys, \(texts.count) texts")
  }

  @Test func `are the app's own if it sets them, by language`() {
    let world = ClientWorld()
    world.configure = {
      $0.messages[.outcome(.fulfilled)] = BilingualText("Enjoy your coins!", "金币已到账！")
      $0.language = .chinese
    }
    let client = world.launch().purchasing
    let order = OrderIdentifier(high: 1, low: 1)

    #expect(client.message(for: .fulfilled(order, recovered: false)) == "金币已到账！")
    #expect(client.message(for: .cancelled(order)) == CustomerMessages.ours(.outcome(.cancelled)).chinese)
    let slow = PurchaseEvent.slowCallback(order)
    #expect(client.message(for: slow) == CustomerMessages.ours(.event(.slowCallback)).chinese)
    #expect(
      client.message(for: PurchasingError(.weChatFailed, weChatCode: -5))
        == CustomerMessages.ours(.weChat(.unsupported)).chinese, "each number has its own message (1A.11)")
  }

  @Test(arguments: Verdict.allCases)
  func `exist for each verdict against a purchase`(_ verdict: Verdict) {
    let outcome = PurchaseOutcome.notGranted(OrderIdentifier(high: 1, low: 1), verdict, reason: nil)
    guard case .outcome(let key) = outcome.messageKey else {
      Issue.record("not an outcome")
      return
    }
    #expect(key.rawValue == verdict.rawValue || verdict == .pending || verdict == .unpaid)
  }
}

@Suite struct `A client that is started` {
  @Test func `begins once, even if it is started more often, and can be stopped and started again (1A.25)`() async {
    let world = ClientWorld()
    let client = world.makeClient()
    await client.start()
    await client.start()
    let service: any PaymentService = client
    await service.setUser("anna")
    #expect(await service.openOrders().isEmpty)
    #expect(world.eventLog.lines.filter { $0.hasPrefix("client.run.twice") }.isEmpty)
    await client.stop()
    await client.start()
    await client.stop()
  }

  @Test func `on a device without an App Store sells through WeChat, and reports that about the App Store`() {
    let world = ClientWorld()
    world.hasAppStore = false
    world.configure = { $0.store = .weChatPay }
    world.launch()
    let apple = world.tap(store: .appStore)
    world.goOn { apple.isDone }
    #expect(apple.error?.code == .paymentsDisabled)
    let tap = world.tap()
    world.goOn { tap.isDone }
    world.goOn(for: .minutes(1))

    #expect(tap.outcome == world.server.orders.first.map { .fulfilled($0.id, recovered: false) })
    #expect(world.openRecords == [])
    let listing = world.ask { await $0.storeProducts(["com.example.coins60"]) }
    #expect(listing?.products == [])
    let restore = world.ask { client -> PurchasingErrorCode? in
      do throws(PurchasingError) {
        _ = try await client.restorePurchases()
        return nil
      } catch { return error.code }
    }
    #expect(restore == .restoreFailed)
  }
}
