import Counterfoil
import CounterfoilAPI
import CounterfoilTesting
import PaymentPrimitives
import StrictJSON
import TestDoubles
import Testing

@Suite struct `A restore` {
  private func restored(_ world: ClientWorld) -> StoreTransaction {
    var entry = world.store.queue[0]
    entry.state = .restored
    return entry
  }

  @Test func `never happens by itself: not at launch, before a purchase, or on any recovery (X1, 1A.59)`() {
    let world = ClientWorld()
    world.store.chargeOutside("com.example.coins60")
    world.launch()
    _ = world.tap("coins12")
    world.goOn(for: .minutes(5))
    for reason in RecoveryReason.allCases { _ = world.ask { await $0.recover(reason) } }
    world.launch(as: "bert")
    world.goOn(for: .minutes(5))

    #expect(world.store.restores == 0)
  }

  @Test func `is refused while no user is signed in`() {
    let world = ClientWorld()
    world.launch(as: nil)
    let error = world.ask { client -> PurchasingError? in
      do throws(PurchasingError) {
        _ = try await client.restorePurchases()
        return nil
      } catch { return error }
    }

    #expect(error??.code == .notSignedIn)
    #expect(world.store.restores == 0)
  }

  @Test func `that the user cancels is not an error`() {
    let world = ClientWorld()
    world.store.restoreBrings(nil)
    world.launch()
    world.goOn(for: .seconds(1))
    let report = world.ask { try? await $0.restorePurchases() }

    #expect(report??.isCancelled == true)
    #expect(report??.isComplete == false)
  }

  @Test func `that the store cannot do returns the store's error`() {
    let world = ClientWorld()
    world.store.failRestores(StoreFailure(.storeUnreachable, code: 5, explanation: "no network"))
    world.launch()
    world.goOn(for: .seconds(1))
    let error = world.ask { client -> PurchasingError? in
      do throws(PurchasingError) {
        _ = try await client.restorePurchases()
        return nil
      } catch { return error }
    }

    #expect(error??.code == .restoreFailed)
    #expect(error??.storeFailure?.code == 5)
  }

  @Test func `submits each entry like a purchase, and finishes it only after the server's verdict (1A.44)`() {
    let world = ClientWorld()
    world.store.chargeOutside("com.example.coins60")
    world.store.restoreBrings([restored(world)])
    world.store.clearQueue()
    world.launch()
    world.goOn(for: .seconds(1))
    world.server.judge("1000", PaymentAnswer(transaction: "1000", verdict: .pending))
    let first = world.ask { try? await $0.restorePurchases() }
    #expect(first??.waiting == 1)
    #expect(world.store.finishes == [])

    world.goOn(for: .minutes(5))
    let second = world.ask { try? await $0.restorePurchases() }
    #expect(second??.fulfilled == 1)
    #expect(world.store.finishes.contains("1000"))
    #expect(world.store.violations == [])
    #expect(world.server.grants.map(\.user) == ["anna"])
  }

  @Test func `of a transaction finished long ago is not a lost finish (S6)`() {
    let world = ClientWorld()
    world.launch()
    let tap = world.tap()
    world.goOn { world.store.queue.contains { $0.state == .purchased } }
    let entry = restored(world)
    world.goOn { tap.isDone }
    world.goOn(for: .minutes(1))
    let heard = world.listen()
    world.store.restoreBrings([entry])
    let report = world.ask { try? await $0.restorePurchases() }

    #expect(report??.fulfilled == 1)
    #expect(!heard.value.contains { if case .finishDidNotStick = $0 { true } else { false } })
    #expect(world.server.grants.count == 1)
  }

  @Test func `under another account grants nothing to it (S7, S20)`() {
    let world = ClientWorld()
    world.launch()
    _ = world.tap()
    world.goOn { world.store.queue.contains { $0.state == .purchased } }
    let entry = restored(world)
    world.goOn(for: .minutes(1))
    world.store.restoreBrings([entry])
    world.launch(as: "bert")
    world.goOn(for: .seconds(1))
    let heard = world.listen()
    let report = world.ask { try? await $0.restorePurchases() }

    #expect(report??.fulfilled == 1, "granted to its owner")
    #expect(world.server.grants.map(\.user) == ["anna"])
    #expect(heard.value.contains(.notGranted("1000", .fulfilledForAnother, reason: nil)))
  }

  @Test func `is the only call that tells the server that the user asked for it, until it is answered (S7)`() {
    let world = ClientWorld()
    func asked() -> [Bool] { world.server.bodies("submit").map { $0["restore"]?.bool == true } }
    world.launch()
    _ = world.tap()
    world.goOn { world.store.queue.contains { $0.state == .purchased } }
    let entry = restored(world)
    world.goOn(for: .minutes(1))
    world.store.chargeOutside("com.example.coins60")
    world.launch(as: "bert")
    world.goOn(for: .minutes(1))
    let before = asked()
    #expect(before.count >= 2 && !before.contains(true))

    world.store.restoreBrings([entry])
    world.server.fault("submit", .answerLost)
    _ = world.ask { try? await $0.restorePurchases() }
    world.goOn(for: .minutes(5))
    let after = Array(asked().dropFirst(before.count))
    #expect(after == [true, true], "and again after the lost answer")

    _ = world.ask { await $0.recover(.userAsked) }
    #expect(asked().dropFirst(before.count + 2).allSatisfy { !$0 })
  }

  @Test func `killed at any await loses nothing and grants nothing twice`() async {
    func run(_ kill: Int) -> (jobs: Int, faults: [String]) {
      let world = ClientWorld()
      world.store.chargeOutside("com.example.coins60")
      world.store.restoreBrings([restored(world)])
      world.store.clearQueue()
      let app = world.launch()
      let client = app.purchasing
      world.start { _ = try? await client.restorePurchases() }
      world.goOn(for: .minutes(5), jobs: kill)
      let jobs = app.executor.steps
      world.launch()
      world.goOn(for: .minutes(1))
      _ = world.ask { try? await $0.restorePurchases() }
      world.goOn(for: .minutes(1))
      var faults = world.faults()
      if !world.openRecords.isEmpty { faults.append("the vault holds \(world.openRecords)") }
      return (jobs, faults)
    }
    let whole = run(.max)
    #expect(whole.faults == [])
    #expect(whole.jobs > 50)
    for kill in 0..<whole.jobs {
      await Task.yield()
      #expect(run(kill).faults == [], "killed after job \(kill)")
    }
  }
}
