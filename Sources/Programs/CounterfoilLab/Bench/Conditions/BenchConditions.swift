import CounterfoilCLI
import PaymentPrimitives

/// The state of the machine around a measurement: whether its figures may be judged.
///
/// Other programs are noticed by the processor time that they use, not by the load average, which remembers for minutes
/// what has ended. They are measured for half a second before the bench begins, and over all of it.
struct BenchConditions: Sendable {
  /// The share of all cores that other programs may use. The least value and the aim of a row lie 12 to 40 % apart.
  /// Whoever loses less than a tenth of the machine cannot fall from one below the other.
  static let othersMax = 0.10

  private static let look = TimeSpan.milliseconds(500)
  private static let synchronizations = 21
  private static let synchronizedBytes = 8192

  let machine: String
  let loadBefore: Int?
  let loadAfter: Int?
  /// The share of all cores that other programs used before and meanwhile; nil where the system does not tell.
  let othersBefore: Double?
  let othersMeanwhile: Double?
  /// The median time of an fdatasync of 8 kB, in microseconds, before and afterwards; nil if it was not measured.
  let synchronization: (before: Double, after: Double)?

  /// Nil if the figures may be judged; otherwise the reason why not.
  var disturbance: String? {
    let most = Self.othersMax * 100
    for (share, when) in [(othersBefore, "before the bench began"), (othersMeanwhile, "meanwhile")] {
      if let share, share > Self.othersMax {
        return
          "other programs used \(Int((share * 100).rounded())) % of the cores \(when), and \(Int(most)) % is the most"
      }
    }
    return nil
  }

  /// One line for people.
  var text: String {
    var parts = [machine]
    if let loadBefore, let loadAfter {
      parts.append("load average \(Self.hundredths(loadBefore)) before, \(Self.hundredths(loadAfter)) after")
    }
    if let othersBefore, let othersMeanwhile {
      let shares = [othersBefore, othersMeanwhile].map { "\(Int(($0 * 100).rounded())) %" }
      parts.append("others used \(shares[0]) of the cores before, \(shares[1]) meanwhile")
    }
    if let synchronization {
      let medians = [synchronization.before, synchronization.after].map { "\(Int($0.rounded()))" }
      parts.append("fdatasync of 8 kB \(medians[0]) µs before, \(medians[1]) µs after (medians)")
    }
    return parts.joined(separator: "; ") + "."
  }

  private static func hundredths(_ load: Int) -> String {
    "\(load / 100).\(load % 100 < 10 ? "0" : "")\(load % 100)"
  }

  /// Runs a measurement, and says under which conditions it ran.
  ///
  /// - Parameter folder: where the disk is measured; nil if the bench uses no disk.
  static func around(
    in folder: String?, _ platform: Platform, _ body: () async throws -> Void
  ) async throws -> BenchConditions {
    let machine = platform.machine
    let loadBefore = machine.loadInHundredths()
    var watch = OthersWatch(platform)
    try await platform.dependencies.sleep(look)
    let othersBefore = watch.share()
    let before = try synchronization(in: folder, platform)
    watch = OthersWatch(platform)
    try await body()
    let othersMeanwhile = watch.share()
    let after = try synchronization(in: folder, platform)
    return BenchConditions(
      machine: "\(machine.processorModel ?? "an unknown processor"), \(machine.coreCount) cores, "
        + (machine.allocator ?? "the system's malloc"),
      loadBefore: loadBefore, loadAfter: machine.loadInHundredths(), othersBefore: othersBefore,
      othersMeanwhile: othersMeanwhile, synchronization: before.flatMap { first in after.map { (first, $0) } })
  }

  private static func synchronization(in folder: String?, _ platform: Platform) throws -> Double? {
    guard let folder else { return nil }
    try platform.files.makeFolder(folder)
    let times = try platform.machine.synchronizationTimes(folder, synchronizedBytes, synchronizations)
    return times.isEmpty ? nil : Double(times.sorted()[times.count / 2]) / 1000
  }
}

/// How much of the cores other programs use, from one moment on.
private struct OthersWatch {
  private let platform: Platform
  private let start: UInt64
  private let busy: UInt64?
  private let own: UInt64

  init(_ platform: Platform) {
    self.platform = platform
    start = platform.monotonicNanoseconds()
    busy = platform.machine.busyNanoseconds()
    own = Self.own(platform)
  }

  /// This process with the clients that it started and that have ended.
  private static func own(_ platform: Platform) -> UInt64 {
    platform.processorNanoseconds() + platform.machine.childrenNanoseconds()
  }

  func share() -> Double? {
    guard let busy, let now = platform.machine.busyNanoseconds() else { return nil }
    let span = Double(max(1, platform.monotonicNanoseconds() - start)) * Double(platform.machine.coreCount)
    let others = Double(now - min(now, busy)) - Double(Self.own(platform) - own)
    return max(0, others / span)
  }
}
