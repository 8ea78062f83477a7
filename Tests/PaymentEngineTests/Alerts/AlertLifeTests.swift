import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import TestDoubles
import Testing

@Suite struct `An alert of the server` {
  private static let started = "started CounterfoilUndelivered shop/simulated"
  private static let reminder = "reminder CounterfoilUndelivered shop/simulated"
  private static let ended = "ended CounterfoilUndelivered shop/simulated"

  @Test func `is told when it has lasted, each four hours again, and once when it is over`() async throws {
    let fixture = try AlertFixture()
    fixture.undelivered(599)
    await fixture.run(for: .minutes(1))
    #expect(fixture.told == [])
    fixture.undelivered(601)
    await fixture.run(for: .minutes(239))
    #expect(fixture.told == [[Self.started]])
    await fixture.run(for: .minutes(2))
    #expect(fixture.told == [[Self.started], [Self.reminder]])
    fixture.undelivered(0)
    await fixture.run(for: .minutes(4))
    #expect(fixture.told.count == 2)
    await fixture.run(for: .minutes(60))
    #expect(fixture.told == [[Self.started], [Self.reminder], [Self.ended]])
    #expect(fixture.count("on-call", "taken") == 3)
  }

  @Test func `is over only when its condition was quiet for five minutes in one piece`() async throws {
    let fixture = try AlertFixture()
    for _ in 0..<10 {
      fixture.undelivered(700)
      await fixture.run(for: .seconds(30))
      fixture.undelivered(0)
      await fixture.run(for: .minutes(4))
    }
    #expect(fixture.told == [[Self.started]])
  }

  @Test func `that only watching tells must hold without a break`() async throws {
    let fixture = try AlertFixture()
    for _ in 0..<4 {
      fixture.parked(2)
      await fixture.run(for: .minutes(9))
      fixture.parked(0)
      await fixture.run(for: .seconds(15))
    }
    #expect(fixture.told == [])
    fixture.parked(2)
    await fixture.run(for: .minutes(11))
    #expect(fixture.told == [["started CounterfoilDeliveriesParked shop/simulated"]])
  }

  @Test func `is told at the time of its channel, and not at all if that wants pages alone`() async throws {
    let channels = [
      AlertFixture.channel("early", url: "https://early.example/") { $0.after = .seconds(30) },
      AlertFixture.channel("pages", url: "https://pages.example/") { $0.severity = .page },
    ]
    let fixture = try AlertFixture(channels)
    fixture.parked(1)
    await fixture.run(for: .minutes(1))
    #expect(fixture.sent.value.map(\.target) == ["https://early.example/"])
    await fixture.run(for: .minutes(30))
    #expect(fixture.sent.value.count == 1)
  }

  @Test func `is repeated by no restart, and its end is told by the next process`() async throws {
    let first = try AlertFixture()
    first.undelivered(700)
    await first.run(for: .minutes(1))
    let second = try AlertFixture(after: first)
    // Nothing is measured yet at the start of a process.
    await second.run(for: .minutes(4))
    second.undelivered(900)
    await second.run(for: .minutes(10))
    #expect(second.told == [[Self.started]])
    let third = try AlertFixture(after: second)
    await third.run(for: .minutes(10))
    #expect(third.told == [[Self.started], [Self.ended]])
    let body = try JSONReader.read(third.sent.value[1].body)
    #expect(
      body["alerts"]?.array?.first?["since"]
        == (try JSONReader.read(first.sent.value[0].body))["alerts"]?.array?
        .first?["since"])
    let fourth = try AlertFixture(after: third)
    await fourth.run(for: .minutes(10))
    #expect(fourth.told.count == 2)
  }

  @Test func `is told by one node alone, and by the next one once that is gone`() async throws {
    let first = try AlertFixture()
    let second = try AlertFixture(after: first, node: "two")
    for node in [first, second] { node.undelivered(700) }
    for _ in 0..<20 {
      await first.run(for: .seconds(15))
      await second.run(for: .seconds(15))
    }
    #expect(first.told == [[Self.started]])
    for node in [first, second] { node.undelivered(0) }
    await second.run(for: .minutes(1))
    #expect(first.told.count == 1)
    await second.run(for: .minutes(10))
    #expect(first.told == [[Self.started], [Self.ended]])
  }

  @Test func `reaches its channel although the database takes no writes`() async throws {
    let fixture = try AlertFixture(faults: DatabaseFaults(transaction: { .refused(.full) }))
    fixture.shop.engine.metrics.set(.storeWritable, to: 0)
    await fixture.run(for: .minutes(2))
    #expect(fixture.told == [["started CounterfoilNotWritable "]])
  }

  @Test func `that ended while its channel was down is told as over, for a day`() async throws {
    let fixture = try AlertFixture()
    fixture.answer.value = .failure(.unreachable("no route"))
    fixture.undelivered(700)
    await fixture.run(for: .minutes(20))
    fixture.undelivered(0)
    await fixture.run(for: .minutes(60))
    let tries = fixture.sent.value.count
    // 15 s, 30 s, 1, 2, 4, 8, 15 and 30 minutes: the limits of vendors are far.
    #expect((6...10).contains(tries), "\(tries)")
    #expect(fixture.count("on-call", "unanswered") == Double(tries))
    let ids = fixture.sent.value.map { $0.fields["webhook-id"] }
    #expect(Set(ids).count == 2, "its beginning and its end: a receiver that knows the first id reads the second")
    fixture.answer.value = .success(AlertFixture.taken)
    await fixture.run(for: .minutes(31))
    #expect(fixture.told.last == [Self.ended])
    #expect(fixture.count("on-call", "taken") == 1)

    fixture.answer.value = .failure(.unreachable("no route"))
    fixture.undelivered(700)
    await fixture.run(for: .minutes(1))
    fixture.undelivered(0)
    await fixture.run(for: .hours(25))
    #expect(fixture.log.fields(of: "alert.dropped").first?["rule"] == "CounterfoilUndelivered")
    fixture.answer.value = .success(AlertFixture.taken)
    let before = fixture.sent.value.count
    await fixture.run(for: .hours(1))
    #expect(fixture.sent.value.count == before)
  }

  @Test func `begins and ends although the clock was set back`() async throws {
    let fixture = try AlertFixture()
    fixture.undelivered(700)
    await fixture.run(for: .minutes(1))
    fixture.shop.clock.advance(by: -.hours(2))
    await fixture.run(for: .minutes(1))
    fixture.undelivered(0)
    await fixture.run(for: .minutes(10))
    #expect(fixture.told.first == [Self.started] && fixture.told.last == [Self.ended])
    #expect(fixture.told.count <= 3)
  }

  @Test func `has the id of its message as long as that tells the same, and another once it tells more`() async throws {
    let fixture = try AlertFixture()
    // The receiver may have taken it: only its answer is missing.
    fixture.answer.value = .failure(.outcomeUnknown("no answer"))
    fixture.undelivered(700)
    await fixture.run(for: .minutes(1))
    fixture.parked(1)
    await fixture.run(for: .hours(3))
    let ids = fixture.sent.value.compactMap { $0.fields["webhook-id"] }
    let byNews = Dictionary(grouping: zip(fixture.told, ids)) { $0.0 }.mapValues { Set($0.map(\.1)) }
    #expect(byNews.count == 2 && byNews.values.allSatisfy { $0.count == 1 } && Set(ids).count == 2)
    #expect(ids.count > 2, "both were repeated")
  }

  @Test func `keeps the limits of vendors: at most one message in 15 seconds for all together`() async throws {
    let fixture = try AlertFixture()
    let metrics = fixture.shop.engine.metrics
    metrics.set(.storeWritable, to: 0)
    metrics.set(.diskFreeBytes, to: 1e9)
    metrics.set(.backupVerifiedTimestampSeconds, to: 1)
    fixture.undelivered(700)
    fixture.parked(3)
    await fixture.run(for: .minutes(20))
    #expect(fixture.sent.value.count <= 5)
    #expect(Set(fixture.told.joined()).count == 5)
    // The pages of one message come first.
    #expect(fixture.told[0].first == Self.started)
  }
}
