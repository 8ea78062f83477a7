import SimulatedDevice

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

  /// The places up to a number of jobs, each `gap` of them beside the effects.
  func all(upTo jobs: Int, each gap: Int, from first: Int) -> [Int] {
    Set(effects + stride(from: first % gap, to: jobs, by: gap)).sorted()
  }
}
