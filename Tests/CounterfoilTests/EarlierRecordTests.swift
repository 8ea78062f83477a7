import Counterfoil
import CounterfoilAPI
import CounterfoilTesting
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import TestDoubles
import Testing

@Suite struct `A record of an app's earlier code` {
  private func record(_ reference: String = "A-1", user: UserIdentifier = "anna") -> EarlierRecord {
    EarlierRecord(reference: reference, product: "com.example.coins60", user: user)
  }

  private func takeOver(_ records: [EarlierRecord], in world: ClientWorld) -> PurchasingError? {
    let error = world.ask { client -> PurchasingError? in
      do throws(PurchasingError) {
        try await client.takeOver(records)
        return nil
      } catch { return error }
    }
    return error ?? nil
  }

  @Test func `is refused if the vault cannot write, with an error (X7)`() {
    let world = ClientWorld()
    world.launch()
    world.goOn(for: .seconds(1))
    world.disk.refuseWrites(true)

    #expect(takeOver([record()], in: world)?.code == .vaultUnavailable)
  }

  @Test func `has a limit: the fifty-first record is refused, and the app keeps it`() {
    let world = ClientWorld()
    world.launch()
    world.goOn(for: .seconds(1))
    #expect(takeOver((1...50).map { record("A-\($0)") }, in: world) == nil)
    #expect(takeOver([record("A-51")], in: world)?.code == .vaultFull)
    #expect(takeOver([record("A-50")], in: world) == nil, "a repeat does no harm")
  }

  @Test func `is durable when the call returns, and stored once even if it is submitted again`() {
    let world = ClientWorld()
    world.launch()
    world.goOn(for: .seconds(1))
    _ = takeOver([record()], in: world)
    var fuller = record()
    fuller.transaction = "1000"
    _ = takeOver([fuller, record()], in: world)

    let names = world.disk.names.filter { $0.hasPrefix("earlier-") }
    #expect(names.count == 1)
    #expect(world.disk.text(names.first ?? "").contains(#""transactionId":"1000""#), "merged, not erased (1A.33)")
  }

  @Test func `with its receipt is submitted under the app's own number, and deleted after the server's verdict`() {
    let world = ClientWorld()
    world.store.chargeOutside("com.example.coins60")
    var earlier = record()
    earlier.transaction = "1000"
    earlier.evidence = world.store.charges[0].evidence
    earlier.amount = "6.00"
    earlier.currency = "CNY"
    world.store.clearQueue()
    world.store.deviceVerificationId = "11111111-2222-4333-8444-555566667777"
    world.server.judge("1000", PaymentAnswer(transaction: "1000", verdict: .held, reason: "boughtBeforeCutOver"))
    world.launch()
    world.goOn(for: .seconds(1))
    let heard = world.listen()
    let taken = earlier
    _ = takeOver([taken], in: world)
    world.goOn(for: .minutes(1))

    let body = world.server.bodies("submit").first
    #expect(body?["orderIds"]?.array?.compactMap(\.string) == ["A-1"])
    #expect(body?["amount"]?.string == "6.00" && body?["currency"]?.string == "CNY")
    #expect(body?["deviceVerificationId"]?.string == "11111111-2222-4333-8444-555566667777")
    #expect(heard.value.contains(.earlierRecordJudged(reference: "A-1", .held, reason: "boughtBeforeCutOver")))
    #expect(!world.disk.names.contains { $0.hasPrefix("earlier-") })
  }

  @Test(arguments: [Verdict.pending, .unclaimed, .refused])
  func `stays until the server's verdict deletes it`(_ verdict: Verdict) {
    let world = ClientWorld()
    var earlier = record()
    earlier.transaction = "77"
    earlier.evidence = "receipt"
    let answer = PaymentAnswer(transaction: "77", verdict: verdict)
    world.server.always(
      "submit", .answers(.init(status: 200, json: SubmitAppStorePayment.Response(payments: [answer]).json)))
    world.launch()
    world.goOn(for: .seconds(1))
    let taken = earlier
    _ = takeOver([taken], in: world)
    world.goOn(for: .minutes(5))
    world.kill()
    world.clock.pass(.days(90))
    world.launch()
    world.goOn(for: .minutes(5))

    #expect(world.disk.names.contains { $0.hasPrefix("earlier-") })
    #expect(world.server.requests("submit").count >= 2, "asked again at each start")
  }

  @Test func `waits for its own user (S20, 1A.36)`() {
    let world = ClientWorld()
    var earlier = record(user: "bert")
    earlier.transaction = "77"
    world.launch(as: "anna")
    world.goOn(for: .seconds(1))
    let taken = earlier
    _ = takeOver([taken], in: world)
    world.goOn(for: .minutes(1))
    #expect(world.server.requests("submit").isEmpty)
    _ = world.ask { await $0.setUser("bert") }
    world.goOn(for: .minutes(1))

    #expect(world.server.requests("submit").count == 1)
  }

  @Test func `is submitted with its product's transaction in the queue, and deleted with it (1A.51)`() {
    let world = ClientWorld()
    world.launch(as: nil)
    world.goOn(for: .seconds(1))
    _ = takeOver([record()], in: world)
    world.store.chargeOutside("com.example.coins60")
    _ = world.ask { await $0.setUser("anna") }
    world.goOn(for: .minutes(1))

    let names = world.server.bodies("submit").first?["orderIds"]?.array?.compactMap(\.string)
    #expect(names == ["A-1"])
    #expect(world.server.grants.count == 1)
    #expect(!world.disk.names.contains { $0.hasPrefix("earlier-") })
  }

  @Test func `without evidence or transaction is deleted after a month of an empty queue`() {
    let world = ClientWorld()
    world.launch()
    world.goOn(for: .seconds(1))
    _ = takeOver([record()], in: world)
    world.goOn(for: .minutes(5))
    #expect(world.disk.names.contains { $0.hasPrefix("earlier-") })
    world.kill()
    world.clock.pass(.days(31))
    world.launch()
    world.goOn(for: .minutes(5))

    #expect(!world.disk.names.contains { $0.hasPrefix("earlier-") })
  }
}
