import AppStoreSimulator
import Foundation
import PaymentPrimitives
import StrictJSON
import Synchronization
import SystemPlatform
import TestSubprocess

/// What clients, the store's customers and the backend's receiver saw of a shop, in the order in which it ended: one
/// JSON object a line. `Tests/Tools/check_history.py` states the lines and judges them; it shares no code with ours.
final class ClientHistory: Sendable {
  private struct State {
    var file: FileHandle
    var lines = 0
  }

  let path: String
  private let state: Mutex<State>

  /// - Parameter path: a new file.
  init(_ path: String) throws {
    self.path = path
    try Data().write(to: URL(fileURLWithPath: path))
    state = Mutex(State(file: try FileHandle(forWritingTo: URL(fileURLWithPath: path))))
  }

  /// Now, for a line. The clock of the machine is not used: it may be set.
  static var now: Int64 { Int64(SystemClock.monotonicNanoseconds()) }

  func add(_ kind: String, _ members: [(String, JSONValue?)]) throws {
    let line = JSONValue.members([("kind", .string(kind))] + members).bytes + [UInt8(ascii: "\n")]
    try state.withLock { state in
      try state.file.write(contentsOf: line)
      state.lines += 1
    }
  }

  /// From now on everything is told.
  func rest() throws { try add("rest", [("at", .integer(Self.now))]) }

  /// Makes a call and notes it, also one that is never answered.
  func call(
    _ method: String, _ path: String, body: JSONValue?, key: String?,
    _ send: () async throws -> (status: Int, json: JSONValue)
  ) async throws -> (status: Int, json: JSONValue) {
    let invoked = Self.now
    // The signed evidence is long, and what it states is in the answer.
    let request = body.flatMap { $0["evidence"] == nil ? $0 : nil }
    func note(_ status: Int?, _ answer: JSONValue?) throws {
      try add(
        "call",
        [
          ("invoked", .integer(invoked)), ("answered", .integer(Self.now)), ("method", .string(method)),
          ("path", .string(path)), ("key", key.map(JSONValue.string) ?? .null), ("request", request ?? .null),
          ("status", status.map { .integer(Int64($0)) } ?? .null), ("answer", answer ?? .null),
        ])
    }
    do {
      let answer = try await send()
      try note(answer.status, answer.json)
      return answer
    } catch {
      try note(nil, nil)
      throw error
    }
  }

  func charge(order: String?, _ buy: () async throws -> SimulatedPurchase) async throws -> SimulatedPurchase {
    let invoked = Self.now
    let bought = try await buy()
    try add(
      "charge",
      [
        ("invoked", .integer(invoked)), ("answered", .integer(Self.now)),
        ("transaction", .string(bought.transaction.id.text)), ("order", order.map(JSONValue.string) ?? .null),
      ])
    return bought
  }

  /// Ends it, and lets the checker judge it.
  func verdict() async throws -> HistoryVerdict {
    try add("end", [("lines", .integer(Int64(state.withLock { $0.lines })))])
    return try await HistoryVerdict.of(path)
  }
}

/// What the checker says about a history.
struct HistoryVerdict: Sendable {
  /// `rule: words` of each finding.
  let findings: [String]
  /// How much of each it has compared.
  let counts: JSONValue

  /// The rules that were broken.
  var rules: Set<String> { Set(findings.map { String($0.prefix { $0 != ":" }) }) }

  static func of(_ history: String) async throws -> HistoryVerdict {
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Tools/check_history.py").path
    let output = history + ".verdict"
    try await OtherProgram.run("/usr/bin/env", ["python3", "-B", script, history, output], within: .seconds(900))
    let verdict = try JSONReader.read(
      Data(contentsOf: URL(fileURLWithPath: output)), limits: JSONLimits(bytesMax: 16 << 20))
    let findings = (verdict["findings"]?.array ?? []).map {
      "\($0["rule"]?.string ?? ""): \($0["words"]?.string ?? "")"
    }
    return HistoryVerdict(findings: findings, counts: verdict["counts"] ?? .null)
  }
}
