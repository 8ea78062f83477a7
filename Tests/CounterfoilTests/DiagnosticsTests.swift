import Counterfoil
import CounterfoilAPI
import CounterfoilTesting
import PaymentPrimitives
import StrictJSON
import TestDoubles
import Testing

/// What a device counts about orders that were nearly lost (C33 of the articles).
@Suite struct `The counts of what was nearly lost` {
  /// A purchase whose process is killed after the charge, and whose next launch recovers it.
  private func recovered(_ configure: (ClientWorld) -> Void = { _ in }) -> ClientWorld {
    let world = ClientWorld()
    configure(world)
    world.launch()
    buyAndBeKilled(world)
    return world
  }

  private func buyAndBeKilled(_ world: ClientWorld) {
    let (before, sheets) = (world.server.grants.count, world.store.sheets.count)
    _ = world.tap()
    world.goOn { world.store.sheets.count == sheets + 1 }
    world.kill()
    world.letPass(.seconds(5))
    world.launch()
    world.goOn(for: .minutes(1)) { world.server.grants.count > before }
    world.goOn(for: .seconds(5))
  }

  /// Comes back to the foreground after a while.
  private func comeBack(_ world: ClientWorld, after pause: TimeSpan) {
    world.letPass(pause)
    _ = world.ask { await $0.recover(.foreground) }
    world.goOn(for: .seconds(5))
  }

  @Test func `a recovered order is told after an hour, once, without a person`() throws {
    let world = recovered()
    comeBack(world, after: .minutes(10))
    #expect(world.server.diagnosticReports == [], "counts are gathered for an hour")
    comeBack(world, after: .hours(2))
    comeBack(world, after: .hours(2))

    #expect(world.server.diagnosticReports.map(\.counts) == [[.recovered: 1]])
    let body = try #require(world.server.bodies("diagnostics").first)
    #expect(body.object?.map(\.name) == ["id", "counts"])
    #expect(!body.text.contains("anna") && !body.text.contains("coins60"))
  }

  @Test func `a killed process repeats the report under its id, and nothing counts twice`() throws {
    let world = recovered()
    world.server.fault("diagnostics", .answerLost)
    comeBack(world, after: .hours(2))
    #expect(world.server.diagnosticReports.count == 1 && world.server.requests("diagnostics").count == 1)
    world.launch()
    world.goOn(for: .minutes(1))
    comeBack(world, after: .hours(3))

    #expect(world.server.requests("diagnostics").count >= 2, "the answer was lost: the device does not know")
    #expect(world.server.diagnosticReports.map(\.counts) == [[.recovered: 1]])
  }

  @Test func `a day has one report; what comes in between waits`() {
    let world = recovered()
    comeBack(world, after: .hours(2))
    for _ in 0..<5 {
      buyAndBeKilled(world)
      comeBack(world, after: .hours(2))
    }
    #expect(world.server.requests("diagnostics").count == 1)
    comeBack(world, after: .hours(24))

    #expect(world.server.diagnosticReports.count == 2)
  }

  @Test func `a server that does not know the call is asked again a day later`() {
    let world = recovered { $0.server.always("diagnostics", .answers(ScriptedBackend.problem(404, "route_unknown"))) }
    for _ in 0..<3 { comeBack(world, after: .hours(2)) }

    #expect(world.server.requests("diagnostics").count == 1)
  }

  @Test func `nothing is counted or told where the app switched it off`() {
    let world = recovered { $0.configure = { $0.sendsDiagnostics = false } }
    comeBack(world, after: .hours(30))

    #expect(world.server.requests("diagnostics").isEmpty)
    #expect(!world.disk.names.contains { world.disk.text($0).contains("diagnostics") })
  }

  @Test func `counts that cannot be read hide no transaction that may be finished`() throws {
    let text = #"{"version":1,"kind":"cleared","app":"shop","transactions":[{"id":"1000"}],"diagnostics":{"open":7}}"#
    let item = try VaultItem(bytes: Array(text.utf8))
    guard case .cleared(let cleared) = item else { throw VaultFailure("another kind") }
    #expect(cleared.entries.map(\.key.id) == ["1000"])
  }
}
