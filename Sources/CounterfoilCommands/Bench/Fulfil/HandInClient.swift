import HTTPMessages
import PaymentVocabulary
import StrictJSON

/// The other side of row 4: a process of its own that hands purchases in over kept connections, so that the
/// processor time of the measured process is the server's alone.
enum HandInClient {
  private static let bytesMax = 1 << 30
  private static let timeLimit = TimeSpan.seconds(60)

  /// What came of it.
  struct Result {
    /// Answers that say that the payment is taken.
    let taken: Int
    let nanoseconds: UInt64
  }

  /// Writes the requests down for the client, one a line.
  static func write(_ calls: [HTTPRequest], to path: String, _ doors: Doors) throws {
    var bytes: [UInt8] = []
    for call in calls {
      let fields = call.fields.all.map { JSONValue.array([.string($0.name), .string($0.value)]) }
      bytes +=
        JSONValue.members([
          ("target", .string(call.target)), ("fields", .array(fields)),
          ("body", .string(String(decoding: call.body, as: UTF8.self))),
        ]).bytes
      bytes.append(0x0A)
    }
    try doors.files.replace(path, bytes)
  }

  /// Starts a client and waits until it is through.
  static func run(
    _ path: String, to address: String, connections: Int, _ doors: Doors
  ) async throws -> Result {
    let report = path + ".report"
    try doors.files.remove(report)
    let child = try doors.startSelf(
      ["bench", "fulfil", "--hand-in", path, "--to", address, "--connections", "\(connections)"], [:])
    let end = doors.monotonicNanoseconds() + 600_000_000_000
    while doors.monotonicNanoseconds() < end {
      try await doors.surroundings.sleep(.milliseconds(100))
      guard let bytes = try doors.files.read(report, 4096) else { continue }
      await child.end()
      let value = try JSONReader.read(bytes)
      guard let taken = value["taken"]?.integer, let span = value["nanoseconds"]?.integer else { break }
      return Result(taken: Int(taken), nanoseconds: UInt64(span))
    }
    child.kill()
    throw CommandFailure("the client that hands purchases in has not ended.")
  }

  /// The client itself.
  static func work(_ path: String, to address: String, connections: Int, _ doors: Doors) async throws -> Int32 {
    let calls = try read(path, address, doors)
    let exchange = try doors.exchange(.anywhere)
    let start = doors.monotonicNanoseconds()
    let turns = Turns(calls.count)
    let taken = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<connections {
        group.addTask {
          var taken = 0
          while let turn = turns.next() {
            // What got no answer is not taken: the run then does not reconcile, and counts for nothing.
            if let answer = try? await exchange.send(calls[turn], timeLimit), isTaken(answer) { taken += 1 }
          }
          return taken
        }
      }
      return await group.reduce(0, +)
    }
    let report = JSONValue.members([
      ("taken", .integer(taken)), ("nanoseconds", .integer(Int64(doors.monotonicNanoseconds() - start))),
    ])
    try doors.files.replace(path + ".report", report.bytes)
    return ExitCode.done
  }

  private static func read(_ path: String, _ address: String, _ doors: Doors) throws -> [HTTPRequest] {
    guard let bytes = try doors.files.read(path, bytesMax) else { throw CommandFailure("there is no file \(path).") }
    return try bytes.split(separator: 0x0A).map { line in
      let value = try JSONReader.read(Array(line))
      var request = HTTPRequest("POST", address + (value["target"]?.string ?? ""))
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

  /// WeChat Pay is answered 204 once a notification is kept; a client by its verdict.
  private static func isTaken(_ answer: HTTPResponse) -> Bool {
    if answer.status == 204 { return true }
    guard answer.status == 200, let value = try? JSONReader.read(answer.body) else { return false }
    return value["payments"]?.array?.first?["verdict"]?.string == "fulfilled"
  }
}
