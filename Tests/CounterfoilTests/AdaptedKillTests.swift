import Counterfoil
import CounterfoilTesting
import PaymentPrimitives
import TestTier
import Testing

/// Kills the app's process after one of its jobs while the user pays in WeChat, through the shipped adapter. `make
/// night` tries every job; otherwise some jobs, different ones on each path.
@MainActor @Suite(.serialized) struct `A purchase through WeChat's adapter that is killed at any await` {
  private static let gap = Tier.among(test: 9, check: 3, night: 1)
  nonisolated static let paths = KillPath.all.filter { $0.store == .weChatPay }

  @Test(arguments: paths)
  func `is granted once per payment, and leaves the vault empty (1A.15, S1)`(_ path: KillPath) async {
    let world = ClientWorld()
    path.prepare(world)
    world.launchWithOpenSDK()
    let whole = world.app?.executor
    let tap = world.tap(store: .weChatPay)
    world.goOn { tap.isDone }
    world.goOn(for: .hours(2))
    #expect(world.faults() == [] && world.server.grants.count == path.charges, "without any kill")
    let jobs = whole?.steps ?? 0
    #expect(jobs > 100, "the path has too few awaits")

    var wrong: [String] = []
    for job in stride(from: path.name.utf8.count % Self.gap, to: jobs, by: Self.gap) where wrong.count <= 5 {
      await Task.yield()  // The other tests get a turn.
      wrong += killed(path, after: job).map { "killed after job \(job) of \(jobs): \($0)" }
    }
    #expect(wrong == [])
  }

  private func killed(_ path: KillPath, after job: Int) -> [String] {
    let world = ClientWorld()
    path.prepare(world)
    world.launchWithOpenSDK()
    _ = world.tap(store: .weChatPay)
    world.goOn(for: .hours(2), jobs: job)
    world.kill()
    world.clock.pass(path.awayAfterKill)
    world.launchWithOpenSDK(as: path.userAfterKill)
    world.goOn(for: .hours(2))
    var wrong = world.faults()
    // An unpaid order is closed at the server; then its owner's next start deletes the record.
    world.kill()
    world.clock.pass(.days(31))
    world.launchWithOpenSDK()
    world.goOn(for: .minutes(10))
    wrong += world.faults()
    if world.server.orders.count > 1 { wrong.append("the server holds \(world.server.orders.count) orders") }
    if world.weChat.requests.count > 1 { wrong.append("WeChat was opened \(world.weChat.requests.count) times") }
    if !world.openRecords.isEmpty { wrong.append("the vault holds \(world.openRecords)") }
    return wrong
  }
}
