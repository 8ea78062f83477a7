import AppStoreSimulator
import Foundation
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import SystemPlatform
import TestDoubles
import TestPlatform
import TestTier
import Testing

/// The number of kills. `make kill` does as many as `make night`.
private let kills = Tier.among(test: 4, check: 20, night: 100)

@Suite struct `A server that is killed under load` {
  @Test(.timeLimit(.minutes(60)))
  func `loses, doubles and misdirects nothing, even with a batch of writes open`() async throws {
    try await withShop(apps: [ShopApp(id: "game", webhook: try freePort())]) { shop in
      let receiver = try WebhookReceiver(port: shop.apps[0].webhook ?? 0, secret: shop.webhookSecret)
      defer { receiver.stop() }
      try await shop.start(environment: ["COUNTERFOIL_LOG": "quiet"])
      let load = Load(shop, customers: 8)
      let openBatches = try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await load.run() }
        defer { load.end() }
        let openBatches = try await killAgainAndAgain(shop, load)
        load.end()
        try await group.waitForAll()
        return openBatches
      }
      #expect(load.problems.isEmpty)
      #expect(openBatches >= kills / 5, "of \(kills) kills \(openBatches) came while a batch was open")
      try await heal(shop)
      try await compareBooks(shop, load, receiver: receiver)
      let words = "\(kills) kills, \(openBatches) of them with a batch open; \(load.facts.count) orders answered, "
      let more = "\(await shop.store.charges().count) charges, \(receiver.attempts.count) deliveries attempted\n"
      StandardStreams.output(words + more)
    }
  }

  /// Kills the server after seeded delays, restarts it, and checks what it kept. Every second kill waits for an open
  /// batch; the others do not.
  ///
  /// - Returns: the number of kills during an open batch.
  private func killAgainAndAgain(_ shop: Shop, _ load: Load) async throws -> Int {
    var chance = SplitMix64(seed: 20_260_801)
    var openBatches = 0
    for kill in 0..<kills {
      try await Dependencies.system.sleep(.milliseconds(Int64(50 + chance.number(below: 450))))
      guard let process = shop.process else { throw ShopError("no server runs") }
      if try await hold(process, shop, untilBatchIsOpen: kill % 2 == 0, chance: &chance) { openBatches += 1 }
      process.kill()
      #expect(process.status == 128 + SIGKILL, "the server was alive until it was killed: \(process.errors)")
      let answered = load.newFacts()
      load.pause(true)
      try await shop.start(environment: ["COUNTERFOIL_LOG": "quiet"])
      try await expectKept(answered, shop)
      let audit = try await counterfoil("audit", "--json", in: shop.folder)
      #expect(audit.code == 0, "after kill \(kill + 1): \(audit.output) \(audit.errors)")
      load.pause(false)
    }
    return openBatches
  }

  /// Stops the server's threads, so that its state does not change before the kill.
  ///
  /// - Returns: whether a batch of writes is open.
  private func hold(
    _ process: ProgramProcess, _ shop: Shop, untilBatchIsOpen: Bool, chance: inout SplitMix64
  ) async throws -> Bool {
    for _ in 0..<ProgramProcess.patience {
      guard process.hold() else { throw ShopError("the server ended by itself: \(process.errors)") }
      let isOpen = WriteLock.isHeld(by: process.identifier, database: shop.database)
      if isOpen || !untilBatchIsOpen { return isOpen }
      process.release()
      try await Dependencies.system.sleep(.milliseconds(Int64(1 + chance.number(below: 4))))
    }
    throw ShopError("no batch of writes was ever open: is there no load?")
  }

  /// The next server knows everything that the killed server had answered.
  private func expectKept(_ facts: [Load.Fact], _ shop: Shop) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for fact in facts {
        group.addTask {
          let found = try await shop.ask("GET", "/v1/orders/\(fact.order)?userId=\(fact.user)")
          #expect(found.status == 200 && found.json["userId"]?.string == fact.user, "order \(fact.order) was answered")
          if fact.isFulfilled {
            #expect(found.json["state"]?.string == "paid", "payment \(fact.transaction ?? "") was answered")
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// The App Store resends failed notifications after an hour of its own clock.
  private func heal(_ shop: Shop) async throws {
    // Its five retries span 157 hours.
    for _ in 0..<6 {
      let isQuiet = try await eventually {
        let now = await shop.store.now()
        return await shop.store.notifications().allSatisfy { $0.rests(at: now) }
      }
      #expect(isQuiet, "the store sends what is due")
      if await shop.store.notifications().allSatisfy({ $0.state == .delivered }) { return }
      _ = try await shop.store.advanceClock(by: .hours(73))
    }
    Issue.record("every notification is accepted in the end")
  }

  /// Each charge is granted and delivered once, to the user who ordered it.
  private func compareBooks(_ shop: Shop, _ load: Load, receiver: WebhookReceiver) async throws {
    let charges = await shop.store.charges()
    let deliveries = try await allDeliveries(shop)
    let told = deliveries.compactMap { $0["delivery"] }
    #expect(told.compactMap { $0["transactionId"]?.string }.sorted() == charges.map(\.transaction.id.text).sorted())
    #expect(told.allSatisfy { $0["type"]?.string == "grant.created" && $0["units"]?["amount"]?.integer == 100 })
    let users = Dictionary(load.facts.map { ($0.transaction ?? "", $0) }) { first, _ in first }
    for delivery in told {
      let fact = users[delivery["transactionId"]?.string ?? ""]
      #expect(delivery["orderId"]?.string == fact?.order && delivery["userId"]?.string == fact?.user)
    }
    let bodies = Dictionary(grouping: receiver.attempts, by: \.id).mapValues { Set($0.map(\.body)) }
    #expect(bodies.values.allSatisfy { $0.count == 1 }, "one id has the same body at every attempt")
    #expect(Set(bodies.keys).isSubset(of: deliveries.compactMap { $0["id"]?.string }))
    #expect(receiver.attempts.allSatisfy { $0.isSigned })
    let end = try await shop.stop()
    #expect(end == 0)
    let audit = try await counterfoil("audit", "--idle", "--json", in: shop.folder)
    let report = try JSONReader.read(audit.output.utf8)
    #expect(audit.code == 0 && report["violations"]?.array == [], "\(audit.output)")
    #expect(report["paymentsByState"]?["fulfilled"]?.integer == Int64(charges.count))
  }

  private func allDeliveries(_ shop: Shop) async throws -> [JSONValue] {
    var all: [JSONValue] = []
    var next: String?
    repeat {
      let query = next.map { "&after=\($0)" } ?? ""
      let page = try await shop.ask("GET", "/v1/deliveries?state=all&limit=100" + query)
      guard page.status == 200 else { throw ShopError("deliveries were answered \(page.status): \(page.json.text)") }
      all += page.json["deliveries"]?.array ?? []
      next = page.json["next"]?.string
    } while next != nil
    return all
  }
}

extension SimulatedNotification {
  /// Whether no attempt of it is due at that time.
  func rests(at now: Timestamp) -> Bool {
    switch state {
    case .delivered, .givenUp: true
    case .waiting(let until): until > now
    case .neverSent: false
    }
  }
}
