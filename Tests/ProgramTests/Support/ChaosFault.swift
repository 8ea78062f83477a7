import PaymentPrimitives
import TestDoubles

/// The kinds of faults of a run under fire.
enum ChaosFault: String, CaseIterable {
  case kill = "nodes killed"
  case pause = "nodes paused"
  case longPause = "nodes paused past their leases"
  case wrongClock = "nodes with a clock off by 5 minutes"
  case endedSessions = "sessions ended"
  case restart = "restarts of the database"
  case promotion = "promotions"
  case cutCommit = "lines cut before COMMIT"
  case lostAnswer = "answers to COMMIT lost"
  case heldCommit = "COMMITs that never arrived"
  case deadlock = "deadlocks"
  case lockedTables = "tables locked by others"
  case fullServer = "servers without a free connection"
  case fullDisk = "full disks"

  /// Why it cannot take place here; nil if it can.
  var obstacle: String? {
    switch self {
    case .wrongClock: FakeClock.isPresent ? nil : "there is no C compiler beside swift"
    case .fullDisk: SmallDisk.isPossible ? nil : "only root can mount a small disk"
    default: nil
    }
  }

  /// How often it is drawn.
  private var weight: Int {
    switch self {
    case .kill: 20
    case .pause, .endedSessions, .cutCommit, .lostAnswer: 2
    default: 1
    }
  }

  static func drawn(_ chance: inout SplitMix64) -> ChaosFault {
    let possible = allCases.filter { $0.obstacle == nil }
    var number = chance.number(below: possible.reduce(0) { $0 + $1.weight })
    for fault in possible {
      if number < fault.weight { return fault }
      number -= fault.weight
    }
    return .kill
  }
}

/// How many faults of each kind took place, and how long they took.
struct ChaosTally: CustomStringConvertible {
  private var counts: [ChaosFault: Int] = [:]
  private var milliseconds: [ChaosFault: Int64] = [:]

  mutating func add(_ fault: ChaosFault, _ count: Int, _ span: TimeSpan = .zero) {
    counts[fault, default: 0] += count
    milliseconds[fault, default: 0] += span.milliseconds
  }

  /// The kinds that can take place here and did not: such a run proves less than it says.
  var missing: [String] {
    ChaosFault.allCases.filter { $0.obstacle == nil && counts[$0, default: 0] == 0 }.map(\.rawValue)
  }

  var description: String {
    ChaosFault.allCases.map { fault in
      if let obstacle = fault.obstacle { return "no \(fault.rawValue): \(obstacle)" }
      return "\(counts[fault, default: 0]) \(fault.rawValue) in \(milliseconds[fault, default: 0] / 1000) s"
    }.joined(separator: ", ")
  }
}
