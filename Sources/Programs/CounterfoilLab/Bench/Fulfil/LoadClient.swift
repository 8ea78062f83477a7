import CounterfoilCLI
import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// The client of the measurements over HTTP (rows 4 and 6). It is a separate process that submits purchases, or asks
/// for entitlements, over kept connections. So the processor time of the measured process is the server's alone.
enum LoadClient {
  private static let bytesMax = 1 << 30
  private static let timeLimit = TimeSpan.seconds(60)

  struct Result {
    /// Answers that confirm that the payment is accepted, or that the entitlement is there.
    let taken: Int
    let nanoseconds: UInt64
    /// The duration of each call, from the moment when it was due; so waiting for a connection counts.
    var latencies: [UInt64] = []
  }

  enum Pace: Hashable, Sendable {
    /// Each call once, as fast as the connections allow.
    case asFastAsItGoes
    /// Each call once, at this rate per second.
    case once(perSecond: Int)
    /// All calls repeatedly, at this rate per second, until the client is killed.
    case over(perSecond: Int)

    /// A flood ends after ten minutes, also when its parent process is gone.
    fileprivate static let secondsMax = 600

    fileprivate var perSecond: Int? {
      switch self {
      case .asFastAsItGoes: nil
      case .once(let rate), .over(let rate): rate
      }
    }

    fileprivate var arguments: [String] {
      switch self {
      case .asFastAsItGoes: []
      case .once(let rate): ["--pace", "\(rate)"]
      case .over(let rate): ["--pace", "\(rate)", "--over"]
      }
    }
  }

  /// Writes the requests to a file for the client, one per line.
  static func write(_ calls: [HTTPRequest], to path: String, _ platform: Platform) throws {
    var bytes: [UInt8] = []
    for call in calls {
      let fields = call.fields.all.map { JSONValue.array([.string($0.name), .string($0.value)]) }
      bytes +=
        JSONValue.members([
          ("method", .string(call.method)), ("target", .string(call.target)), ("fields", .array(fields)),
          ("body", .string(String(decoding: call.body, as: UTF8.self))),
        ]).bytes
      bytes.append(0x0A)
    }
    try platform.files.replace(path, bytes)
  }

  static func start(
    _ path: String, to address: String, connections: Int, pace: Pace, _ platform: Platform
  ) throws -> ChildProcess {
    try platform.files.remove(path + ".report")
    return try platform.startSelf(
      ["bench", "fulfil", "--hand-in", path, "--to", address, "--connections", "\(connections)"] + pace.arguments, [:])
  }

  /// Starts a client and waits until it has finished.
  static func run(
    _ path: String, to address: String, connections: Int, pace: Pace = .asFastAsItGoes, _ platform: Platform
  ) async throws -> Result {
    let report = path + ".report"
    let child = try start(path, to: address, connections: connections, pace: pace, platform)
    let end = platform.monotonicNanoseconds() + 600_000_000_000
    while platform.monotonicNanoseconds() < end {
      try await platform.dependencies.sleep(.milliseconds(100))
      guard let bytes = try platform.files.read(report, 64 << 20) else { continue }
      await child.end()
      let value = try JSONReader.read(bytes)
      guard let taken = value["taken"]?.integer, let span = value["nanoseconds"]?.integer else { break }
      let latencies = (value["latencies"]?.array ?? []).compactMap { $0.integer.map { UInt64($0) } }
      return Result(taken: Int(taken), nanoseconds: UInt64(span), latencies: latencies)
    }
    child.kill()
    throw CommandFailure("the client that hands purchases in has not ended.")
  }

  static func work(
    _ path: String, to address: String, connections: Int, pace: Pace = .asFastAsItGoes, _ platform: Platform
  ) async throws -> Int32 {
    let calls = try read(path, address, platform: platform)
    let exchange = try platform.exchange(.anywhere)
    let start = platform.monotonicNanoseconds()
    let isFlood = if case .over(_) = pace { true } else { false }
    let turns = Turns(isFlood ? (pace.perSecond ?? 0) * Pace.secondsMax : calls.count)
    let results = await withTaskGroup(of: (taken: Int, latencies: [UInt64]).self) { group in
      for _ in 0..<connections {
        group.addTask {
          var (taken, latencies): (Int, [UInt64]) = (0, [])
          while let turn = turns.next() {
            let due = await wait(for: turn, since: start, pace, platform)
            // A call without an answer does not count as accepted: the run then does not reconcile and is invalid.
            let answer = try? await exchange.send(calls[turn % calls.count], timeLimit)
            if let answer, isTaken(answer) { taken += 1 }
            if let due { latencies.append(platform.monotonicNanoseconds() - due) }
          }
          return (taken, isFlood ? [] : latencies)
        }
      }
      return await group.reduce(into: (0, [UInt64]())) { $0 = ($0.0 + $1.taken, $0.1 + $1.latencies) }
    }
    let report = JSONValue.members([
      ("taken", .integer(results.0)), ("nanoseconds", .integer(Int64(platform.monotonicNanoseconds() - start))),
      ("latencies", .array(results.1.map { .integer(Int64($0)) })),
    ])
    try platform.files.replace(path + ".report", report.bytes)
    return ExitCode.done
  }

  /// Waits until a call is due and returns that time; nil if the pace has no rate.
  private static func wait(for turn: Int, since start: UInt64, _ pace: Pace, _ platform: Platform) async -> UInt64? {
    guard let rate = pace.perSecond else { return nil }
    let due = start + UInt64(turn) * 1_000_000_000 / UInt64(rate)
    while true {
      let now = platform.monotonicNanoseconds()
      guard now < due else { return due }
      // Sleeps the whole milliseconds that are left, but at least one.
      let rest = Int64((due - now) / 1_000_000)
      guard (try? await platform.dependencies.sleep(.milliseconds(max(1, rest)))) != nil else { return due }
    }
  }

  private static func read(_ path: String, _ address: String, platform: Platform) throws -> [HTTPRequest] {
    guard let bytes = try platform.files.read(path, bytesMax) else { throw CommandFailure("there is no file \(path).") }
    return try bytes.split(separator: 0x0A).map { line in
      let value = try JSONReader.read(Array(line))
      guard let method = value["method"]?.string, let target = value["target"]?.string else {
        throw CommandFailure("\(path) holds no requests.")
      }
      var request = HTTPRequest(method, address + target)
      for field in value["fields"]?.array ?? [] {
        guard let pair = field.array, pair.count == 2, let name = pair[0].string, let content = pair[1].string else {
          throw CommandFailure("\(path) holds no requests.")
        }
        request.fields.set(name, content)
      }
      request.body = Array((value["body"]?.string ?? "").utf8)
      return request
    }
  }

  /// WeChat Pay gets 204 once a notification is stored. A client gets a verdict, or the entitlements.
  private static func isTaken(_ answer: HTTPResponse) -> Bool {
    if answer.status == 204 { return true }
    guard answer.status == 200, let value = try? JSONReader.read(answer.body) else { return false }
    return value["payments"]?.array?.first?["verdict"]?.string == "fulfilled"
      || value["entitlements"]?.array?.first?["state"]?.string == "active"
  }
}
