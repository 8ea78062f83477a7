import PaymentDatabase
import PaymentEngine
import PaymentPrimitives
import SimulationKit
import Testing

/// Nodes that begin, beat, fall silent, wake up and end at random, over one table that all of them read.
private struct SharingWorld {
  private struct Node {
    var sharing = SharingNodes()
    var share = StoreShare.none
    var nextBeat: Int64
    /// A beat whose answer comes later; with the records that it read.
    var answer: (at: Int64, begun: Int64, records: [NodeRecord])?
    var silentUntil: Int64 = 0
  }

  private var chance: SeededChance
  private var table: [Int64: NodeRecord] = [:]
  private var nodes: [Int64: Node] = [:]
  private var lastNumber: Int64 = 0
  private var now: Int64 = 0
  private(set) var growths = 0
  private(set) var most = 0

  init(seed: UInt64) { chance = SeededChance(seed: seed, purpose: "sharing") }

  private static func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

  private mutating func oneIn(_ count: Int) -> Bool { chance.number(below: count) == 0 }

  /// The sum of all parts, in 5,040ths.
  mutating func step() -> Int64 {
    now += 100
    if nodes.count < 7, oneIn(nodes.isEmpty ? 5 : 100) {
      lastNumber += 1
      table[lastNumber] = NodeRecord(
        number: lastNumber, startedAt: Self.at(now), seenAt: Self.at(now), state: .active)
      nodes[lastNumber] = Node(nextBeat: now)
    }
    for number in nodes.keys.sorted() {
      if oneIn(1500) { nodes[number]?.silentUntil = now + Int64(chance.number(below: 60_000)) }
      if oneIn(400) {
        table[number]?.state = .left
        nodes[number] = nil
        continue
      }
      beat(number)
    }
    return sum()
  }

  private mutating func beat(_ number: Int64) {
    guard var node = nodes[number], node.silentUntil <= now else { return }
    if let answer = node.answer, answer.at <= now {
      let before = node.share
      node.share = node.sharing.share(answer.records, own: number, begun: Self.at(answer.begun))
      if case .part(let old, _) = before, case .part(let new, _) = node.share, new < old { growths += 1 }
      node.answer = nil
      node.nextBeat = answer.begun + 5_000
    } else if node.answer == nil, node.nextBeat <= now {
      table[number]?.seenAt = Self.at(now)
      table[number]?.state = .active
      for other in table.keys where table[other].map({ Self.at(now) - $0.seenAt > NodeRecord.silenceMax }) == true {
        if table[other]?.state == .active { table[other]?.state = .gone }
      }
      let records = table.values.sorted { $0.number < $1.number }
      node.answer = (now + Int64(chance.number(below: oneIn(20) ? 8_000 : 200)), now, records)
    }
    nodes[number] = node
  }

  private mutating func sum() -> Int64 {
    var sum: Int64 = 0
    // A silent node's calls may still be on their way, as long as its part lasts.
    for node in nodes.values {
      guard case .part(let count, let end) = node.share, Self.at(now) < end else { continue }
      sum += 5_040 / Int64(count)
      most = max(most, count)
    }
    return sum
  }
}

@Suite struct `Nodes that share a rate` {
  private static func record(
    _ number: Int64, seen: Int64, started: Int64 = 0, _ state: NodeRecord.State = .active
  ) -> NodeRecord {
    NodeRecord(
      number: number, startedAt: Timestamp(milliseconds: started), seenAt: Timestamp(milliseconds: seen), state: state)
  }

  private static func count(_ share: StoreShare) -> Int? {
    if case .part(let count, _) = share { count } else { nil }
  }

  private static let begun = Timestamp(milliseconds: 90_000)

  @Test func `have no part before each other one has beaten twice since they came`() {
    var sharing = SharingNodes()
    func look(_ own: Int64, _ other: Int64) -> Int? {
      Self.count(
        sharing.share([Self.record(1, seen: other), Self.record(2, seen: own)], own: 2, begun: Self.begun))
    }
    #expect(look(10_000, 9_000) == nil)
    // The other has beaten at the same moment: it may have read before.
    #expect(look(15_000, 10_000) == nil)
    // It has read them, and may not know the answer yet.
    #expect(look(20_000, 15_500) == nil)
    #expect(look(25_000, 15_500) == nil)
    #expect(look(30_000, 27_000) == 2)
    // Once in, they stay in, until they were silent for long.
    #expect(look(35_000, 27_000) == 2)
    #expect(look(56_000, 55_000) == nil)
    #expect(look(61_000, 58_000) == nil)
    #expect(look(66_000, 63_000) == 2)
    #expect(sharing.share([Self.record(1, seen: 1)], own: 2, begun: Self.begun) == .none)
  }

  @Test func `have all of it at once where nobody else is, and less at once when somebody comes`() {
    var sharing = SharingNodes()
    let gone = [Self.record(1, seen: 0, .gone), Self.record(2, seen: 0, .left)]
    let alone = sharing.share(gone + [Self.record(3, seen: 5)], own: 3, begun: Self.begun)
    #expect(alone == .part(of: 1, until: Self.begun + .seconds(20)))
    let two = [Self.record(3, seen: 10), Self.record(4, seen: 10)]
    #expect(Self.count(sharing.share(gone + two, own: 3, begun: Self.begun)) == 2)
  }

  @Test func `get more only at the second beat without one of them; one that drains still counts`() {
    var sharing = SharingNodes()
    var seen: Int64 = 99
    func look(_ state: NodeRecord.State) -> Int? {
      seen += 1
      return Self.count(
        sharing.share([Self.record(1, seen: 9), Self.record(2, seen: seen, state)], own: 1, begun: Self.begun))
    }
    #expect([look(.active), look(.active), look(.draining), look(.left), look(.left)] == [nil, 2, 2, 2, 1])
    #expect([look(.active), look(.gone), look(.gone)] == [2, 2, 1])
  }

  @Test func `never have more than all of it together, however they come, fall silent, wake up and go`() {
    var (growths, most) = (0, 0)
    for seed in UInt64(1)...40 {
      var world = SharingWorld(seed: seed)
      for step in 0..<6_000 {
        let sum = world.step()
        #expect(sum <= 5_040, "seed \(seed), step \(step)")
        if sum > 5_040 { return }
      }
      (growths, most) = (growths + world.growths, max(most, world.most))
    }
    // The worlds are not too tame.
    #expect(growths > 100 && most == 7)
  }
}
