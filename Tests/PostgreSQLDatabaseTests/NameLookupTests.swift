import Foundation
import PaymentDatabase
import PaymentPrimitives
import PostgreSQLDatabase
import Synchronization
import SystemPlatform
import TestDatabases
import Testing

/// A name server that answers when it is let.
private final class SlowNames: Sendable {
  private let state = Mutex((isOpen: false, asked: 0))

  var asked: Int { state.withLock { $0.asked } }
  func answer() { state.withLock { $0.isOpen = true } }

  func resolve(_ name: String) -> [String] {
    state.withLock { $0.asked += 1 }
    while !state.withLock({ $0.isOpen }) {}
    return ["192.0.2.1"]
  }
}

@Suite struct `The name of a database server` {
  /// No part of a name has more than 63 bytes, so no name server is asked.
  private static let impossible = String(repeating: "x", count: 70)

  @Test(.timeLimit(.minutes(1)))
  func `is given up in time while no name server answers, and is looked up once for all who wait`() {
    let names = SlowNames()
    for _ in 0..<3 {
      #expect(NameLookup.addresses(of: "db.slow", within: .milliseconds(30), by: names.resolve) == nil)
    }
    // Other names do not wait for it.
    #expect(NameLookup.addresses(of: "db.quick", within: .seconds(20)) { _ in ["192.0.2.2"] } == ["192.0.2.2"])
    #expect(names.asked == 1)
    names.answer()
    let late = NameLookup.addresses(of: "db.slow", within: .seconds(20)) { _ in ["192.0.2.3"] }
    #expect(late == ["192.0.2.1"] || late == ["192.0.2.3"])
    // What was answered is not kept: the name may move.
    #expect(NameLookup.addresses(of: "db.slow", within: .seconds(20)) { _ in ["192.0.2.4"] } != nil)
  }

  @Test func `is known by the system, or has no address`() {
    #expect(NameLookup.addresses(of: "localhost", within: .seconds(20))?.contains("127.0.0.1") == true)
    #expect(NameLookup.addresses(of: "127.0.0.1", within: .seconds(20)) == ["127.0.0.1"])
    #expect(NameLookup.addresses(of: Self.impossible, within: .seconds(20)) == [])
  }

  @Test(.enabled(if: PostgreSQLServer.isPresent, Comment(rawValue: PostgreSQLServer.absent)))
  func `leads to the server at whichever of its addresses answers`() async throws {
    try await withPostgreSQL { _, _, settings async throws in
      var named = settings
      named.address = settings.address.replacingOccurrences(of: "127.0.0.1", with: "localhost")
      #expect(named.address != settings.address)
      let database = try await openPostgreSQL(named, clock: TestClock())
      await database.close()
      named.address = settings.address.replacingOccurrences(of: "127.0.0.1", with: Self.impossible)
      let error = try await refusal(named)
      #expect(error.code == .unavailable && error.details.contains("has no address"))
    }
  }
}
