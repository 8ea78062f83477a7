import AppStoreSimulator
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import TestDoubles
import TestTier
import Testing

@Suite struct `A simulator that is killed` {
  /// The whole day on a log that works.
  ///
  /// - Parameter isCompared: whether the log is replayed after each command, and the states compared.
  private func wholeDay(isCompared: Bool) async throws -> [[UInt8]] {
    let shop = try await SimulatedShop(isEmpty: true)
    for command in ScriptedDay.commands {
      try await command.run(shop)
      guard isCompared else { continue }
      let (live, again) = (await shop.store.state, try await shop.restarted().store.state)
      #expect(live == again, "after: \(command.name)")
    }
    return await shop.lines.lines
  }

  /// How far a day came before the log failed.
  private struct Morning {
    /// Commands that were answered; a failure in a command's background work shows at the next command.
    var answered = 0
    /// The state of the simulator when the log failed; nil if it never opened.
    var state: SimulatorState?
  }

  private func run(_ log: DyingLog, time: ManualTime, server: StandInServer) async throws -> Morning {
    var morning = Morning()
    let shop: SimulatedShop
    do { shop = try await SimulatedShop(isEmpty: true, time: time, server: server, log: log.log) } catch {
      return morning
    }
    for command in ScriptedDay.commands {
      do { try await command.run(shop) } catch { break }
      morning.answered += 1
    }
    await #expect(throws: CodedError(SimulatorErrorCode.logUnavailable), "nothing more is decided (AS-LOG-3)") {
      try await shop.store.setBehaviour(.failPurchases, to: 7)
    }
    morning.state = await shop.store.state
    return morning
  }

  private func replay(_ lines: [[UInt8]]) async throws -> SimulatorState {
    try await SimulatedShop(isEmpty: true, seed: 3, lines: VolatileSimulatorLog(lines: lines)).store.state
  }

  @Test func `replays every command of a day into the same state (AS-LOG-1)`() async throws {
    let lines = try await wholeDay(isCompared: true)
    #expect(lines.count > 45)
    for line in lines {
      #expect(line.count < 4096 && !line.contains(0x0A))
      #expect(throws: Never.self) { try JSONReader.read(line) }
    }
  }

  @Test(arguments: DyingLog.Death.allCases)
  func `at any append returns in the state before or after it, and continues (AS-LOG-1, AS-LOG-2, AS-LOG-3)`(
    death: DyingLog.Death
  ) async throws {
    let count = try await wholeDay(isCompared: false).count
    // If only some appends are tried, each kind of failure uses different ones.
    let gap = Tier.among(test: 9, check: 3, night: 1)
    let first = 1 + (DyingLog.Death.allCases.firstIndex(of: death) ?? 0) % gap
    for append in stride(from: first, through: count, by: gap) {
      let dying = DyingLog(at: append, death)
      let (time, server) = (ManualTime(SimulatedShop.noon), StandInServer())
      let morning = try await run(dying, time: time, server: server)
      let lines = dying.lines
      #expect(lines.count == (death == .beforeWriting ? append - 1 : append))
      let later = try await SimulatedShop(
        isEmpty: true, seed: 2, time: time, lines: VolatileSimulatorLog(lines: lines), server: server)
      let state = await later.store.state
      if let before = morning.state {
        if death == .afterWriting {
          // The record counts although its answer was lost; without it, the state is the previous one.
          #expect(state == (try await replay(lines)), "append \(append)")
          #expect(state.content != before.content, "append \(append)")
          #expect(try await replay(lines.dropLast()) == before, "append \(append)")
        } else {
          #expect(state.content == before.content, "append \(append)")
        }
      }
      // The rest of the day continues from there, with the broken command repeated, and the whole log can be read
      // again.
      try await goOn(later, from: morning.answered)
      #expect(try await later.restarted().store.state == later.store.state, "append \(append)")
      try await check(later)
    }
  }

  private static let doneBefore: [SimulatorErrorCode] = [
    .alreadySubscribed, .renewalTooEarly, .alreadyRefunded, .neverChanges, .notRenewing, .nothingToRefund,
    .fieldInvalid,
  ]

  private func goOn(_ shop: SimulatedShop, from index: Int) async throws {
    for command in ScriptedDay.commands[index...] {
      do { try await command.run(shop) } catch let error as CodedError<SimulatorErrorCode> {
        // A repeated command may already be done, because only its answer was lost.
        #expect(
          Self.doneBefore.contains(error.code), "\(command.name): \(error)")
      }
    }
  }

  /// No charge is missing, and no charge appears twice.
  private func check(_ shop: SimulatedShop) async throws {
    let charges = await shop.store.charges()
    #expect(Set(charges.map(\.transaction.id)).count == charges.count)
    let told = Set(await shop.store.notifications().compactMap(\.facts.transaction))
    for charge in charges {
      #expect(told.contains(charge.transaction.id))
      #expect(throws: Never.self) { try JSONReader.read(charge.json.bytes) }
    }
    #expect(charges.count >= 6)
  }

  @Test func `several times during opening still opens, up to a limit (AS-LOG-2)`() async throws {
    let torn = Array(#"{"v":1,"n":1,"ev"#.utf8)
    var lines: [[UInt8]] = []
    for count in 1...3 {
      lines.append(torn)
      let shop = try await SimulatedShop(isEmpty: true, lines: VolatileSimulatorLog(lines: lines))
      let written = await shop.lines.lines
      #expect(written.count == count + 2)
      // The record after the torn lines reports them, and the whole log can be read again.
      _ = try await SimulatedShop(isEmpty: true, lines: VolatileSimulatorLog(lines: written))
    }
    await #expect(throws: CodedError(SimulatorErrorCode.logUnreadable)) {
      try await SimulatedShop(isEmpty: true, lines: VolatileSimulatorLog(lines: lines + [torn]))
    }
  }

  @Test func `numbers two simultaneous commands one after the other`() async throws {
    let shop = try await SimulatedShop()
    let ids = try await withThrowingTaskGroup(of: TransactionIdentifier.self) { group in
      for _ in 0..<50 { group.addTask { try await shop.buy(SimulatedShop.coins).transaction.id } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(ids).count == 50)
    #expect(await shop.store.charges().count == 50)
    #expect(try await shop.restarted().store.state == shop.store.state)
  }

  @Test func `keeps the longest allowed names, and no more apps than its limit (AS-LOG-5)`() async throws {
    let shop = try await SimulatedShop()
    var app = SimulatedApp(bundleId: String(repeating: "a", count: 155), appAppleId: 1 << 53)
    app.notificationURL = "https://" + String(repeating: "x", count: 2040)
    app.version = String(repeating: "\u{1}", count: 64)
    app.build = app.version
    try await shop.store.catalog.setApp(app)
    for number in 2..<SimulatorLimits.appsMax {
      try await shop.store.catalog.setApp(SimulatedApp(bundleId: "com.example.\(number)", appAppleId: 1))
    }
    await #expect(throws: CodedError(SimulatorErrorCode.full)) {
      try await shop.store.catalog.setApp(SimulatedApp(bundleId: "com.example.more", appAppleId: 1))
    }
    app.version = "2.0"
    try await shop.store.catalog.setApp(app)
    #expect(try await shop.restarted().store.apps() == shop.store.apps())
  }

  @Test func `refuses a record that it could not read back (AS-LOG-5)`() async throws {
    let shop = try await SimulatedShop()
    var app = SimulatedShop.app
    let before = await shop.lines.lines.count
    for change: (inout SimulatedApp) -> Void in [
      { $0.bundleId = "" }, { $0.bundleId = "a b" }, { $0.appAppleId = 0 }, { $0.notificationURL = "ftp://x.example" },
      { $0.version = "" }, { $0.build = String(repeating: "1", count: 65) },
    ] {
      app = SimulatedShop.app
      change(&app)
      let bad = app
      await #expect(throws: CodedError(SimulatorErrorCode.fieldInvalid)) { try await shop.store.catalog.setApp(bad) }
    }
    let product = SimulatedProduct(
      id: "com.example.coins", kind: .consumable, price: StatedPrice(milliunits: -1, currency: "CNY"))
    await #expect(throws: CodedError(SimulatorErrorCode.fieldInvalid)) {
      try await shop.store.catalog.setProduct(product, bundleId: SimulatedShop.app.bundleId)
    }
    await #expect(throws: CodedError(SimulatorErrorCode.fieldInvalid)) {
      try await shop.store.catalog.setAccount(SimulatedAppleAccount(id: "a b", environment: .sandbox))
    }
    #expect(await shop.lines.lines.count == before)
  }
}
