import AppStoreSimulator
import Foundation
import PaymentPrimitives
import SimulatedDevice
import SimulationKit
import TestTier
import Testing

/// Kills the app's process after one job, then relaunches the app: the order must end right. `make night` kills after
/// every job, other runs after some jobs, with different ones on each path.
@Suite(.serialized) struct `A purchase through a shipped adapter, killed at any await` {
  private static let gap = Tier.among(test: 79, check: 23, night: 1)

  @Test(arguments: Phone.Interface.allCases, KillPath.all)
  func `is granted once per charge, to the one who ordered it`(_ interface: Phone.Interface, _ path: KillPath) throws {
    let jobs = try jobsOfWholePath(path, interface)
    #expect(jobs > 100, "the path has no awaits to speak of")
    var wrong: [String] = []
    var places = 0
    for job in stride(from: path.name.utf8.count % Self.gap, to: jobs, by: Self.gap) where wrong.count < 3 {
      places += 1
      wrong += try killed(path, interface, after: job).map { "killed after job \(job) of \(jobs): \($0)" }
    }
    if Self.gap == 1 {
      let line = "\(interface.testDescription), \(path.name): killed at \(places) places\n"
      FileHandle.standardOutput.write(Data(line.utf8))
    }
    #expect(wrong == [])
    #expect(places >= jobs / Self.gap || !wrong.isEmpty)
  }

  private func prepared(_ path: KillPath, _ interface: Phone.Interface) throws -> (ClientFixture, Phone) {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try path.prepare(phone, world)
    try phone.launch()
    return (world, phone)
  }

  private func jobsOfWholePath(_ path: KillPath, _ interface: Phone.Interface) throws -> Int {
    let (world, phone) = try prepared(path, interface)
    let tap = phone.buy()
    #expect(tap.result != nil)
    world.goOn(for: .minutes(2))
    return phone.steps
  }

  private func killed(_ path: KillPath, _ interface: Phone.Interface, after job: Int) throws -> [String] {
    let (world, phone) = try prepared(path, interface)
    _ = phone.tap()
    world.goOn(until: { phone.steps >= job })
    phone.kill()
    path.afterKill(phone, world)
    world.goOn(for: .minutes(1))
    for _ in 0..<path.starts {
      try phone.launch(as: path.userAfterKill)
      world.goOn(for: .minutes(10))
    }
    var wrong = try world.faults(leavesOrders: true)
    if world.charges.count > 1 { wrong.append("charged \(world.charges.count) times for one tap") }
    if phone.device.sheets.count > 1 { wrong.append("\(phone.device.sheets.count) sheets for one tap") }
    if try !world.unfinished(of: phone).isEmpty { wrong.append("Apple holds something unfinished") }
    // An unpaid order closes at the server after its time; the next start of its owner removes the record.
    phone.kill()
    world.goOn(for: .days(31))
    try phone.launch(as: "anna")
    world.goOn(for: .minutes(10))
    wrong += try world.faults()
    return wrong
  }
}
