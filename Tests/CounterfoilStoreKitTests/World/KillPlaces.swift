import SimulatedDevice
import TestTier

/// Where to kill an app: after each job by which something changed outside of its memory, and at some others.
struct KillPlaces {
  private struct World: Equatable {
    let records: Int
    let sheets: Int
    let charges: Int
    let finishes: Int
  }

  private var last: World?
  private(set) var effects: [Int] = []

  /// Looks at the phone after a job.
  mutating func look(at phone: Phone, after job: Int) {
    let device = phone.device
    let now = World(
      records: device.keychain.items.values.reduce(0) { $0 &+ $1.data.hashValue }, sheets: device.sheets.count,
      charges: device.charges.count, finishes: device.finishes.count)
    if let last, last != now { effects.append(job) }
    last = now
  }

  /// The places up to a number of jobs, each `gap` of them beside the effects. `make test` takes some of the effects,
  /// other ones on each path.
  func all(upTo jobs: Int, each gap: Int, from first: Int) -> [Int] {
    let some = Tier.among(test: 6, check: 2, night: 1)
    let chosen = effects.enumerated().filter { $0.offset % some == first % some }.map(\.element)
    return Set(chosen + stride(from: first % gap, to: jobs, by: gap)).sorted()
  }
}
