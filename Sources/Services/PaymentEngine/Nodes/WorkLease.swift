package import PaymentDatabase
import PaymentPrimitives

/// The right of one node to do a standing work, until a moment of the database's clock. Each new holder gets a larger
/// number, the fence.
///
/// It is a setting, `lease.<name>`. So whatever a transaction of the holder writes relies on a row that it read: if the
/// lease has gone to another node, nothing is written (record 246).
package struct WorkLease: Hashable, Sendable {
  /// What the transactions of this task must still hold.
  @TaskLocal package static var current: WorkLease?

  package let name: String
  let fence: Int64

  /// Thrown by a transaction whose node has lost its lease.
  struct Lost: Error {}

  private static func setting(_ name: String) -> String { "lease.\(name)" }

  private struct Kept {
    var fence: Int64
    var node: Int64
    var until: Timestamp

    init(fence: Int64, node: Int64, until: Timestamp) {
      self.fence = fence
      self.node = node
      self.until = until
    }

    init?(_ text: String?) {
      let numbers = (text ?? "").split(separator: " ").compactMap { Int64($0) }
      guard numbers.count == 3 else { return nil }
      self.init(fence: numbers[0], node: numbers[1], until: Timestamp(milliseconds: numbers[2]))
    }

    var text: String { "\(fence) \(node) \(until.milliseconds)" }
  }

  /// Takes a lease that nobody holds; nil if another node does.
  static func take(
    _ name: String, for span: TimeSpan, node: Int64, _ transaction: any DatabaseTransaction
  ) throws -> WorkLease? {
    let kept = Kept(try transaction.setting(setting(name)))
    // A lease that ends later than any can was made by a clock that was ahead.
    if let kept, kept.until > transaction.now, kept.until <= transaction.now + span { return nil }
    let new = Kept(fence: (kept?.fence ?? 0) + 1, node: node, until: transaction.now + span)
    try transaction.set(setting(name), to: new.text)
    return WorkLease(name: name, fence: new.fence)
  }

  /// Fails unless this is the present lease. A lease that has ended counts until somebody else takes it.
  func require(in transaction: any DatabaseTransaction) throws {
    guard try isHeld(in: transaction) else { throw Lost() }
  }

  /// Whether nobody has taken it since.
  package func isHeld(in reader: any DatabaseReader) throws -> Bool {
    Kept(try reader.setting(Self.setting(name)))?.fence == fence
  }

  func renew(for span: TimeSpan, node: Int64, _ transaction: any DatabaseTransaction) throws {
    try require(in: transaction)
    let kept = Kept(fence: fence, node: node, until: transaction.now + span)
    try transaction.set(Self.setting(name), to: kept.text)
  }

  /// Gives it back.
  func end(node: Int64, _ transaction: any DatabaseTransaction) throws {
    try require(in: transaction)
    try transaction.set(Self.setting(name), to: Kept(fence: fence, node: node, until: transaction.now).text)
  }
}

extension PaymentEngine {
  /// Does a standing work while no other node does it. What its transactions write is written only while this node
  /// holds the lease.
  ///
  /// - Parameter name: the name of the work, the same on all nodes.
  /// - Returns: whether the work was done; false while another node does it.
  @discardableResult
  package func doAlone(_ name: String, _ work: @escaping @Sendable () async throws -> Void) async throws -> Bool {
    guard let coordination = database.coordination else {
      try await work()
      return true
    }
    guard !nodes.isDraining else { return false }
    let (span, node) = (limits.workLease, coordination.node)
    guard let lease = try await transact({ try WorkLease.take(name, for: span, node: node, $0) }) else {
      return false
    }
    do {
      try await WorkLease.$current.withValue(lease) { try await withRenewal(of: lease, node: node, work) }
    } catch is WorkLease.Lost {
      log(LogEvent(.warning, "node.leaseLost", [("work", name)]))
      return false
    } catch {
      try? await transact { try lease.end(node: node, $0) }
      throw error
    }
    try? await transact { try lease.end(node: node, $0) }
    return true
  }

  private func withRenewal(
    of lease: WorkLease, node: Int64, _ work: @escaping @Sendable () async throws -> Void
  ) async throws {
    let span = limits.workLease
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        try await work()
        return true
      }
      group.addTask {
        while true {
          try await dependencies.sleep(TimeSpan(milliseconds: span.milliseconds / 4))
          do { try await transact { try lease.renew(for: span, node: node, $0) } } catch let error
            as CodedError<EngineErrorCode>
          {
            // The work finds out by itself whether the database can be reached.
            log(LogEvent(.warning, "node.leaseNotRenewed", [("work", lease.name), ("error", "\(error)")]))
          }
        }
      }
      defer { group.cancelAll() }
      while try await group.next() == false {}
    }
  }
}
