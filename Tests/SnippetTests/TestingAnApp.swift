// snippet: lost-callback
import Counterfoil
import CounterfoilTesting
import Testing

// snippet: end

@Suite struct `The snippets of tests` {
  // snippet: lost-callback
  @Test func `a purchase is granted although its callback is lost`() throws {
    let bench = TestBench()
    bench.store.next(.buysSilently)
    try bench.launch(as: "alice")

    let outcome = try bench.run { try await $0.purchase("coins60") }

    #expect(outcome == .fulfilled(bench.server.orders[0].id, recovered: false))
    #expect(bench.server.grants.map(\.user) == ["alice"])
    #expect(bench.store.violations == [])
  }
  // snippet: end

  // snippet: kill
  @Test func `a purchase survives a kill at any step`() throws {
    for steps in 1... {
      let bench = TestBench()
      try bench.launch(as: "alice")
      bench.begin { _ = try? await $0.purchase("coins60") }
      let isOver = bench.goOn(steps: steps)

      bench.kill()
      bench.goOn()
      try bench.launch(as: "alice")
      bench.goOn()

      #expect(bench.server.grants.map(\.transaction) == bench.store.charges.map(\.id))
      #expect(bench.store.queue.isEmpty)
      if isOver { return }
    }
  }
  // snippet: end

  // snippet: rights
  @Test func `a page shows what the customer has`() throws {
    let bench = TestBench()
    let club = Entitlement("club", state: .billingRetry, store: .appStore, environment: .simulated)
    bench.server.setEntitlements(club, of: "alice")
    try bench.launch(as: "alice")

    _ = try bench.run { try await $0.purchase("coins60", quantity: 2) }

    #expect(try bench.run { try await $0.balances() } == [Balance("coins", amount: 120, environment: .simulated)])
    #expect(try bench.run { try await $0.entitlements() }.filter(\.state.givesAccess) == [])
  }
  // snippet: end

  @Test func `can let the customer cancel, who is then not charged`() throws {
    let bench = TestBench()
    try bench.launch(as: "alice")
    bench.store.next(.cancels)
    let outcome = try bench.run { try await $0.purchase("coins60") }
    guard case .cancelled = outcome else {
      Issue.record("the bench's customer did not cancel: \(outcome)")
      return
    }
    #expect(bench.server.grants.isEmpty && bench.store.charges.isEmpty)
  }

  @Test func `can kill the app before the charge and after it`() throws {
    var charges: Set<Int> = []
    for steps in stride(from: 1, to: 5_000, by: 5) {
      let bench = TestBench()
      try bench.launch(as: "alice")
      bench.begin { _ = try? await $0.purchase("coins60") }
      let isOver = bench.goOn(steps: steps)
      bench.kill()
      bench.goOn()
      charges.insert(bench.store.charges.count)
      if isOver { break }
    }
    #expect(charges == [0, 1])
  }

  @Test func `report when work never ends, or when no app runs`() throws {
    let bench = TestBench()
    #expect(throws: TestBench.OutOfTime.self) { try bench.run { await $0.openOrders() } }
    try bench.launch(as: "alice")
    #expect(throws: TestBench.OutOfTime.self) {
      try bench.run(within: .minutes(1)) { _ in for await _ in AsyncStream<Void>.makeStream().stream {} }
    }
  }
}
