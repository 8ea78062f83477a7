import Counterfoil
import CounterfoilTesting
import PaymentPrimitives
import TestTier
import Testing

/// Kills the app's process after a job, on every path; then the app starts again and must end in the right state. `make
/// night` kills after every job; otherwise after some, different ones on each path.
@Suite(.serialized) struct `A purchase that is killed at any await` {
  private static let gap = Tier.among(test: 13, check: 5, night: 1)
  /// The limits of the first kill and of the second.
  private static let gaps = Tier.among(test: (61, 97), check: (37, 61), night: (7, 11))

  @Test(arguments: KillPath.all)
  func `is granted once per charge, and leaves queue and vault empty`(_ path: KillPath) async {
    let jobs = jobsOfWholePath(path)
    #expect(jobs > 100, "the path has too few awaits")

    var wrong: [String] = []
    for job in stride(from: path.name.utf8.count % Self.gap, to: jobs, by: Self.gap) {
      await Task.yield()  // The other tests get a turn.
      wrong += killed(path, after: [job]).map { "killed after job \(job) of \(jobs): \($0)" }
      if wrong.count > 5 { break }
    }

    #expect(wrong == [])
  }

  @Test(arguments: KillPath.all)
  func `is granted once per charge also if the recovery is killed`(_ path: KillPath) async {
    let jobs = jobsOfWholePath(path)

    var wrong: [String] = []
    for first in stride(from: path.name.utf8.count % Self.gaps.0, to: jobs, by: Self.gaps.0) {
      for second in stride(from: first % Self.gaps.1, to: 300, by: Self.gaps.1) {
        await Task.yield()
        wrong += killed(path, after: [first, second]).map { "killed after \(first), then \(second): \($0)" }
        if wrong.count > 5 { break }
      }
      if wrong.count > 5 { break }
    }

    #expect(wrong == [])
  }

  /// Runs the path without a kill until nothing happens, and counts the jobs.
  private func jobsOfWholePath(_ path: KillPath) -> Int {
    let world = ClientWorld()
    path.prepare(world)
    let app = world.launch()
    let tap = world.tap(store: path.store)
    world.goOn { tap.isDone }
    world.goOn(for: .hours(2))
    #expect(world.faults() == [], "without any kill")
    #expect(world.server.grants.count == path.charges, "without any kill")
    #expect(world.store.charges.count == (path.store == .appStore ? path.charges : 0), "without any kill")
    #expect(tap.isDone, "without any kill")
    return app.executor.steps
  }

  /// The errors after kills of successive processes, each after its number of jobs.
  private func killed(_ path: KillPath, after kills: [Int]) -> [String] {
    let world = ClientWorld()
    path.prepare(world)
    world.launch()
    _ = world.tap(store: path.store)
    world.goOn(for: .hours(2), jobs: kills[0])
    world.kill()
    world.clock.pass(path.awayAfterKill)
    for kill in kills.dropFirst() {
      world.launch(as: path.userAfterKill)
      world.goOn(for: .hours(2), jobs: kill)
      world.kill()
    }
    // For any signed-in user, every charge is granted to the user of the order, and the queue is empty.
    for _ in 0..<path.starts {
      world.launch(as: path.userAfterKill)
      world.goOn(for: .hours(2))
    }
    var wrong = world.faults()
    if !world.store.queue.isEmpty { wrong.append("the queue holds \(world.store.queue)") }
    // Unpaid orders close at the server after a week; then their owner's next start deletes their records.
    world.kill()
    world.clock.pass(.days(31))
    world.launch(as: "anna")
    world.goOn(for: .minutes(10))
    wrong += world.faults()
    // One tap makes one order and one sheet, however often the app was killed on the way.
    if world.server.orders.count > 1 { wrong.append("the server holds \(world.server.orders.count) orders") }
    if world.weChat.requests.count > 1 { wrong.append("WeChat was opened \(world.weChat.requests.count) times") }
    if world.store.sheets.count > 1 { wrong.append("\(world.store.sheets.count) sheets were opened") }
    if !world.openRecords.isEmpty { wrong.append("the vault holds \(world.openRecords)") }
    if !world.store.queue.isEmpty { wrong.append("the queue holds \(world.store.queue)") }
    return wrong
  }
}
