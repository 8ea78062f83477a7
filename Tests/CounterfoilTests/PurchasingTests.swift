import Counterfoil
import CounterfoilAPI
import CounterfoilTesting
import PaymentPrimitives
import TestDoubles
import Testing

@Suite struct `A client` {
  @Test func `does nothing until it runs`() {
    let world = ClientWorld()
    let purchasing = world.launch().purchasing
    world.goOn(for: .minutes(1))
    world.start { await purchasing.stop() }
    world.goOn(for: .minutes(1))
    world.store.chargeOutside("com.example.coins60")
    world.goOn(for: .hours(1))
    #expect(world.server.requests.isEmpty)

    let report = world.ask { await $0.recover(.userAsked) }
    #expect(report?.isComplete == false)
  }

  @Test func `can be stopped in the middle of a purchase, and run again`() {
    let world = ClientWorld()
    let purchasing = world.launch().purchasing
    let tap = world.tap()
    world.goOn { world.store.sheets.count == 1 }
    world.start { await purchasing.stop() }
    world.goOn { tap.isDone }
    #expect(tap.outcome == world.server.orders.first.map { .awaitingConfirmation($0.id) })

    world.goOn(for: .minutes(5))
    #expect(world.server.grants == [])
    world.start { await purchasing.run() }
    world.goOn(for: .minutes(5))
    #expect(world.faults() == [])
    #expect(world.store.charges.count == 1)
    #expect(world.openRecords == [])
  }

  @Test func `runs once, even if it is started more often (1A.25)`() {
    let world = ClientWorld()
    let purchasing = world.launch().purchasing
    world.start { await purchasing.run() }
    let tap = world.tap()
    world.goOn { tap.isDone }
    world.goOn(for: .minutes(1))

    #expect(world.eventLog.lines.contains("client.run.twice"))
    #expect(world.faults() == [])
    #expect(world.server.requests("submit").count == 1)
  }

  @Test func `ends when its task is cancelled`() {
    let world = ClientWorld()
    let purchasing = world.launch(as: nil).purchasing
    world.start { await purchasing.stop() }
    world.goOn(for: .minutes(1))
    let hasEnded = SharedValue(false)
    let task = world.start {
      await purchasing.run()
      hasEnded.value = true
    }
    world.goOn(for: .minutes(1))
    #expect(!hasEnded.value)
    task.cancel()
    world.goOn(for: .minutes(1))
    #expect(hasEnded.value)
  }

  @Test func `listens to the store again when its stream ends (1A.28)`() {
    let world = ClientWorld()
    world.launch()
    world.goOn(for: .minutes(1))
    world.store.endStream()
    world.goOn(for: .minutes(1))
    world.store.chargeOutside("com.example.coins60")
    world.goOn(for: .minutes(1))

    #expect(world.faults() == [])
    #expect(world.store.queue == [])
  }

  @Test func `does not sell the previous user's order to the next user (S20)`() {
    let world = ClientWorld()
    world.launch(as: "anna")
    let tap = world.tap()
    world.goOn { world.server.orders.count == 1 }
    _ = world.ask { await $0.setUser("bert") }
    world.goOn { tap.isDone }

    #expect(tap.error?.code == .userDiffers)
    #expect(world.store.sheets.isEmpty)
  }

  @Test func `logs nothing secret`() {
    let world = ClientWorld()
    world.configure = { $0.publishableKey = "pk_test" }
    world.server.fault("submit", .answerLost, .answers(ScriptedBackend.problem(500, "outcome_unknown")))
    world.store.finishDoesNotStick(times: 1)
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }
    world.launch()
    world.goOn(for: .minutes(5))

    #expect(world.eventLog.lines.count > 5)
    let secrets = ["token-", "pk_test", "anna", "purchaseDate"]
    let leaks = world.eventLog.lines.filter { line in secrets.contains { line.contains($0) } }
    #expect(leaks == [])
  }
}

@Suite struct `The events of a client` {
  /// All events that a listener has received.
  private func listen(_ world: ClientWorld) -> SharedValue<[PurchaseEvent]> {
    let heard = SharedValue<[PurchaseEvent]>([])
    guard let purchasing = world.app?.purchasing else { return heard }
    world.start {
      for await event in await purchasing.events() { heard.value.append(event) }
    }
    world.goOn(for: .zero)
    return heard
  }

  @Test func `report the open orders first to each listener, and then the progress of a purchase (1A.76)`() {
    let world = ClientWorld()
    world.store.next(.cancels)
    world.launch()
    let first = world.tap()
    world.goOn { first.isDone }
    world.goOn(for: .minutes(1))

    let one = listen(world)
    let two = listen(world)
    let second = world.tap("coins6")
    world.goOn { second.isDone }
    world.goOn(for: .minutes(1))

    #expect(one.value == two.value)
    let phases = one.value.compactMap { event -> OrderRecord.Phase? in
      guard case .orderOpen(let order) = event else { return nil }
      return order.phase
    }
    #expect(phases == [.failedOnce, .created, .paying, .paid(by: "1000")])
    let b = world.server.orders.last?.id
    #expect(one.value.contains(.fulfilled("1000", order: b, firstSeen: true)))
    #expect(one.value.last == b.map { .orderClosed($0) })
  }

  @Test func `are not sent to the next user of the device`() {
    let world = ClientWorld()
    world.store.next(.cancels)
    world.launch(as: "anna")
    let first = world.tap()
    world.goOn { first.isDone }
    world.goOn(for: .minutes(1))
    _ = world.ask { await $0.setUser("bert") }
    let heard = listen(world)
    #expect(heard.value == [])
    #expect(world.ask { await $0.openOrders() } == [])

    _ = world.ask { await $0.setUser("anna") }
    world.goOn(for: .minutes(1))
    #expect(heard.value.count == 1)
    #expect(world.ask { await $0.openOrders().map(\.phase) } == [.failedOnce])
  }

  @Test func `name an orphan, a verdict against it and a lost finish (X3, S6)`() {
    let world = ClientWorld()
    world.store.finishDoesNotStick(times: 1)
    world.launch()
    let heard = listen(world)
    let id = world.store.chargeOutside("com.example.coins60")
    world.goOn(for: .minutes(1))
    #expect(heard.value == [.orphan(id), .fulfilled(id, order: world.server.orders.first?.id, firstSeen: true)])

    world.launch(as: nil)
    let later = listen(world)
    world.goOn(for: .minutes(1))
    #expect(later.value == [.finishDidNotStick(id, times: 1)])
    let refused = world.store.chargeOutside("com.example.coins60")
    world.server.judge(refused, PaymentAnswer(transaction: refused, verdict: .refused, reason: "notGenuine"))
    _ = world.ask { await $0.setUser("anna") }
    world.goOn(for: .minutes(1))
    #expect(later.value.last == .notGranted(refused, .refused, reason: "notGenuine"))
  }
}

@Suite struct `A message for the customer` {
  @Test(arguments: PurchasingErrorCode.allCases)
  func `states in both languages what happened and what to do`(_ code: PurchasingErrorCode) {
    let error = PurchasingError(code, "Particulars for a developer.")

    #expect(code.rawValue.hasPrefix("client_"))
    for language in Language.allCases {
      #expect(code.meaning[language].count > 3 && code.remedy[language].count > 3)
      #expect(error.message(language).hasPrefix(code.meaning[language]))
      #expect(error.message(language).hasSuffix(code.remedy[language]))
      #expect(!error.message(language).contains("Particulars"))
    }
    #expect(error.description.contains(code.rawValue))
    #expect(code.retry == .later || code.retry == .never)
  }
}
