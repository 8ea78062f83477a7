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

  /// Those that can take place here.
  static var possible: [ChaosFault] { allCases.filter { $0.obstacle == nil } }

  /// How many of that many faults are of this kind at the least. The first ones are one of each kind; of the others it
  /// is four standard deviations less than the weights let expect, which a fair draw misses once in 30,000 runs.
  func leastCount(of faults: Int) -> Int {
    let possible = Self.possible
    guard obstacle == nil, faults >= possible.count else { return 0 }
    let share = Double(weight) / Double(possible.reduce(0) { $0 + $1.weight })
    let expected = Double(faults - possible.count) * share
    return 1 + Int(max(0, expected - 4 * (expected * (1 - share)).squareRoot()))
  }

  static func drawn(_ chance: inout SplitMix64) -> ChaosFault {
    let possible = possible
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
    ChaosFault.possible.filter { counts[$0, default: 0] == 0 }.map(\.rawValue)
  }

  /// The kinds of which fewer took place than that many faults let expect: they were drawn and did nothing. A fault of
  /// these kinds counts as one or more, so their number is at least that of the draws.
  func tooFew(of faults: Int) -> [String] {
    let kinds: [ChaosFault] = [.kill, .promotion, .lostAnswer]
    return kinds.filter { counts[$0, default: 0] < $0.leastCount(of: faults) }
      .map { "\(counts[$0, default: 0]) \($0.rawValue), not \($0.leastCount(of: faults))" }
  }

  var description: String {
    ChaosFault.allCases.map { fault in
      if let obstacle = fault.obstacle { return "no \(fault.rawValue): \(obstacle)" }
      return "\(counts[fault, default: 0]) \(fault.rawValue) in \(milliseconds[fault, default: 0] / 1000) s"
    }.joined(separator: ", ")
  }
}
