import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// What the modelled PostgreSQL keeps of its nodes, apart from the rows of the shop.
struct ModelledNodeTable: Sendable {
  private(set) var records: [Int64: NodeRecord] = [:]
  private var last: Int64 = 0
  private var asked: [OrderKey: Timestamp] = [:]

  /// Gives a process its number.
  mutating func join(at now: Timestamp) -> Int64 {
    last += 1
    records[last] = NodeRecord(number: last, startedAt: now, seenAt: now, state: .active)
    return last
  }

  /// Notes that a node lives, and which others do not. Row leases of the dead end by themselves here.
  ///
  /// - Throws: `inconsistent` if the node was forgotten.
  mutating func beat(_ node: Int64, at now: Timestamp) throws -> [NodeRecord] {
    guard var own = records[node] else {
      throw CodedError<DatabaseErrorCode>(.inconsistent, "This node was forgotten; it must be started again.")
    }
    own.seenAt = now
    if own.state == .gone { own.state = .active }
    records[node] = own
    for (number, record) in records {
      if record.state == .left || record.state == .gone {
        if record.seenAt < now - NodeRecord.rememberedFor { records[number] = nil }
      } else if record.seenAt < now - NodeRecord.silenceMax {
        records[number]?.state = .gone
      }
    }
    return records.values.sorted { $0.number < $1.number }
  }

  mutating func note(_ state: NodeRecord.State, of node: Int64, at now: Timestamp) {
    records[node]?.state = state
    records[node]?.seenAt = now
  }

  mutating func mayAsk(about order: OrderKey, pause: TimeSpan, at now: Timestamp) -> Bool {
    if let before = asked[order], before > now - pause, before <= now { return false }
    asked[order] = now
    return true
  }
}
