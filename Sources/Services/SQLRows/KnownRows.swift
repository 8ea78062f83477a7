import PaymentDatabase
import PaymentModel
package import PaymentPrimitives

/// Rows that a run has read or written, in their database state.
package struct KnownRows: Sendable {
  /// The numbers of payment keys; nil for a key that is not in the database.
  private var keys: [(key: PaymentKey, identifier: Int64?)] = []
  /// What an order promised never changes, and nobody else writes its row meanwhile, so each order is read once. The
  /// unchangeable values of an update are compared with these.
  private var orders: [Order] = []
  /// The last order at WeChat Pay that was read or written.
  private(set) var weChatPayOrder: WeChatPayOrder?
  /// Signed texts that were split before the transaction.
  private(set) var evidence: [SplitEvidence] = []
  /// The headers of signed texts that the run found or wrote.
  package private(set) var headers = KnownHeaders.Found()

  /// The number of remembered keys and orders of a run: the engine reuses a few, a sweep uses many once.
  private static let rememberedMax = 8

  package init() {}

  /// The number of a payment key, or that it has none; nil if that is not known.
  func identifier(of key: PaymentKey) -> Int64?? {
    for known in keys where known.key == key { return .some(known.identifier) }
    return nil
  }

  /// The payment keys that are known to have no number.
  package var lackingKeys: [PaymentKey] { keys.filter { $0.identifier == nil }.map(\.key) }

  /// Stands for a number that is given later.
  package static let numberOfNewKey: Int64 = 0

  /// Those that have `numberOfNewKey`.
  package var newKeys: [PaymentKey] { keys.filter { $0.identifier == Self.numberOfNewKey }.map(\.key) }

  package mutating func note(_ key: PaymentKey, _ identifier: Int64?) {
    keys.removeAll { $0.key == key }
    if keys.count == Self.rememberedMax { keys.removeFirst() }
    keys.append((key, identifier))
  }

  func order(_ key: OrderKey) -> Order? {
    for order in orders where order.key == key { return order }
    return nil
  }

  /// Whether the known row of an order has the same promises; nil if none is known.
  func promisesTheSame(as order: Order) -> Bool? {
    for index in orders.indices where orders[index].key == order.key {
      return orders[index].promisesTheSame(as: order)
    }
    return nil
  }

  mutating func note(_ order: Order) {
    for index in orders.indices where orders[index].key == order.key {
      orders[index] = order
      return
    }
    if orders.count == Self.rememberedMax { orders.removeFirst() }
    orders.append(order)
  }

  mutating func note(_ order: WeChatPayOrder) { weChatPayOrder = order }

  mutating func note(_ split: SplitEvidence) { evidence.append(split) }

  /// A connection takes the row over once it is committed.
  mutating func note(header: String, row: Int64) { headers.append((header, row)) }
}
