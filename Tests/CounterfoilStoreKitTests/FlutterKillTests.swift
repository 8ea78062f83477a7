import AppStoreSimulator
import PaymentPrimitives
import SimulatedDevice
import SimulationKit
import StrictJSON
import TestTier
import Testing

/// Kills the app in Flutter after one job, then starts it again: the paths of `AdapterKillTests`, through the channel.
@Suite(.serialized) struct `A purchase through the Flutter plug-in, killed at any await` {
  private static let gap = Tier.among(test: 149, check: 47, night: 1)

  @Test(arguments: Phone.Interface.allCases, KillPath.all)
  func `is granted once per charge, to the one who ordered it (1A.65, S18)`(
    _ interface: Phone.Interface, _ path: KillPath
  ) throws {
    let (jobs, places) = try wholePath(path, interface)
    #expect(jobs > 100, "the path has no awaits to speak of")
    var wrong: [String] = []
    for job in places.all(upTo: jobs, each: Self.gap, from: path.name.utf8.count) where wrong.count < 3 {
      wrong += try killed(path, interface, after: job).map { "killed after job \(job) of \(jobs): \($0)" }
    }
    #expect(wrong == [])
    #expect(places.effects.count > 3, "records, a sheet, and its end")
  }

  private func prepared(_ path: KillPath, _ interface: Phone.Interface) throws -> (ClientFixture, FlutterApp) {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try path.prepare(phone, world)
    let app = FlutterApp(phone, in: world)
    app.start(waits: false)
    return (world, app)
  }

  /// Without a kill: how many jobs there are, and which of them changed something.
  private func wholePath(_ path: KillPath, _ interface: Phone.Interface) throws -> (Int, KillPlaces) {
    let (world, app) = try prepared(path, interface)
    var places = KillPlaces()
    let sent = app.tap()
    let end = world.now + .minutes(3)
    world.goOn(until: {
      places.look(at: app.phone, after: app.steps)
      return world.now > end
    })
    #expect(sent.isDone)
    #expect(try falseBought(sent, world) == nil)
    return (app.steps, places)
  }

  /// “Bought” is true only if the server has granted it.
  private func falseBought(_ sent: DartSide.Sent, _ world: ClientFixture) throws -> String? {
    let isBought = sent.reply.map { Golden.plain($0) }?["outcome"]?.string == "fulfilled"
    return try isBought && world.coins(of: "alice") == 0 ? "a false “bought”" : nil
  }

  private func killed(_ path: KillPath, _ interface: Phone.Interface, after job: Int) throws -> [String] {
    let (world, app) = try prepared(path, interface)
    let sent = app.tap()
    world.goOn(until: { app.steps >= job })
    var wrong = [try falseBought(sent, world)].compactMap(\.self)
    app.kill()
    path.afterKill(app.phone, world)
    world.goOn(for: .minutes(1))
    for _ in 0..<path.starts {
      app.start(as: path.userAfterKill == "anna" ? "alice" : path.userAfterKill)
      world.goOn(for: .minutes(10))
    }
    wrong += try world.faults(owner: "alice", leavesOrders: true)
    if world.charges.count > 1 { wrong.append("charged \(world.charges.count) times for one tap") }
    if app.phone.device.sheets.count > 1 { wrong.append("\(app.phone.device.sheets.count) sheets for one tap") }
    if try !world.unfinished(of: app.phone).isEmpty { wrong.append("Apple holds something unfinished") }
    app.kill()
    world.goOn(for: .days(31))
    app.start()
    world.goOn(for: .minutes(10))
    wrong += try world.faults(owner: "alice")
    return wrong
  }
}
