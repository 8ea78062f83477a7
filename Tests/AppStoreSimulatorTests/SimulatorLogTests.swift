import AppStoreSimulator
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import Testing

@Suite struct `A simulator's log is refused` {
  private func open(_ lines: [[UInt8]]) async throws -> SimulatedShop {
    try await SimulatedShop(isEmpty: true, lines: VolatileSimulatorLog(lines: lines))
  }

  private func lines() async throws -> [[UInt8]] {
    let shop = try await SimulatedShop()
    try await shop.buy(SimulatedShop.coins)
    return await shop.lines.lines
  }

  @Test func `when a line is missing, doubled, moved or torn in the middle (AS-LOG-4)`() async throws {
    let good = try await lines()
    _ = try await open(good)
    var bad: [(String, [[UInt8]])] = []
    for index in good.indices {
      var lines = good
      if index < good.count - 1 {
        lines.remove(at: index)
        bad.append(("without line \(index)", lines))
        lines = good
        lines.swapAt(index, index + 1)
        bad.append(("line \(index) moved", lines))
        lines = good
        lines[index] = Array(good[index].dropLast())
        bad.append(("line \(index) torn", lines))
      }
      lines = good
      lines.insert(good[index], at: index)
      bad.append(("line \(index) doubled", lines))
    }
    for (name, lines) in bad {
      await #expect(throws: CodedError(SimulatorErrorCode.logUnreadable), "\(name)") { try await open(lines) }
    }
  }

  @Test(arguments: [
    "hello", "{}", "[]", "null", #"{"n":1,"event":"faultStruck"}"#, #"{"v":1}"#, #"{"v":"1","n":1}"#, #"{"v":0,"n":1}"#,
    #"{"v":1,"n":1,"event":"nothing","data":{}}"#, #"{"v":1,"n":1,"event":"created","data":{"testKeySeed":"AAAA"}}"#,
    #"{"v":1,"n":1,"event":"knobSet","data":{"knob":"loseTokens","value":1}}"#,
    #"{"v":1,"n":1,"event":"faultStruck","data":{},"spent":["nothing"]}"#,
  ])
  func `when it is another file (AS-LOG-4)`(line: String) async throws {
    // One line that is not JSON might be a torn one; several show that the file is not our log.
    let count = line == "hello" ? 4 : 1
    await #expect(throws: CodedError(SimulatorErrorCode.logUnreadable)) {
      try await open(Array(repeating: Array(line.utf8), count: count))
    }
  }

  @Test func `when a record refers to something that never existed (AS-LOG-4)`() async throws {
    let good = try await lines()
    let number = good.count + 1
    let missing = SimulatedShop.token.text
    for (event, data) in [
      ("finished", #"{"transactionId":"1"}"#), ("redelivered", #"{"transactionId":"1"}"#),
      ("attempted", #"{"notificationUUID":"\#(missing)","attempt":{"attemptDate":1,"sendAttemptResult":"SUCCESS"}}"#),
      ("created", #"{"testKeySeed":"\#(String(repeating: "A", count: 64))","createdAt":1}"#),
    ] {
      let line = #"{"v":1,"n":\#(number),"event":"\#(event)","data":\#(data)}"#
      await #expect(throws: CodedError(SimulatorErrorCode.logUnreadable), "\(event)") {
        try await open(good + [Array(line.utf8)])
      }
    }
    let again = String(decoding: good[good.count - 1], as: UTF8.self)
      .replacing(#""n":\#(good.count),"#, with: #""n":\#(number),"#)
    await #expect(throws: CodedError(SimulatorErrorCode.logUnreadable)) {
      try await open(good + [Array(again.utf8)])
    }
  }

  @Test func `when a later version wrote it (AS-LOG-4)`() async throws {
    await #expect(throws: CodedError(SimulatorErrorCode.logTooNew)) {
      try await open([Array(#"{"v":2,"n":1,"event":"created","data":{}}"#.utf8)])
    }
  }

  @Test func `when it cannot be read`() async throws {
    let log = SimulatorLog(append: { _ in }, readAll: { throw DyingLog.Killed() })
    await #expect(throws: CodedError(SimulatorErrorCode.logUnavailable)) {
      try await SimulatedShop(isEmpty: true, log: log)
    }
  }
}
