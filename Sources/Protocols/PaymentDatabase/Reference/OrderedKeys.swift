import PaymentModel
import PaymentPrimitives

/// Sorted keys, for queries from a position or up to a moment without a scan of all rows.
///
/// It is an array: most keys of a day arrive in order, and moving the keys after an insertion costs little.
struct OrderedKeys<Key: Comparable & Sendable>: Sendable {
  private(set) var all: [Key] = []

  /// How many keys come before the given one.
  func count(before key: Key) -> Int {
    var low = 0
    var high = all.count
    while low < high {
      let middle = (low + high) / 2
      if all[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// All keys after the given one; all keys for nil.
  func after(_ key: Key?) -> ArraySlice<Key> {
    guard let key else { return all[...] }
    let position = count(before: key)
    return all[(position < all.count && all[position] == key ? position + 1 : position)...]
  }

  mutating func insert(_ key: Key) { all.insert(key, at: count(before: key)) }

  mutating func remove(_ key: Key) {
    let position = count(before: key)
    if position < all.count, all[position] == key { all.remove(at: position) }
  }
}

/// A row's key with the moment of its index.
struct Moment<Key: Comparable & Sendable>: Comparable, Sendable {
  let at: Timestamp
  let key: Key

  static func < (a: Moment, b: Moment) -> Bool { (a.at, a.key) < (b.at, b.key) }
}

/// A text in an app environment, ordered by app environment and bytes.
struct PlaceInEnvironment: Comparable, Sendable {
  let appEnvironment: AppEnvironment
  let text: InMemoryRows.ExactText

  static func < (a: PlaceInEnvironment, b: PlaceInEnvironment) -> Bool {
    (a.appEnvironment, a.text) < (b.appEnvironment, b.text)
  }
}

/// The position of a customer's history among the due histories of its app environment.
struct PlaceInTime: Comparable, Sendable {
  let appEnvironment: AppEnvironment
  let at: Timestamp
  let customer: PaymentKey?

  static func < (a: PlaceInTime, b: PlaceInTime) -> Bool {
    guard a.appEnvironment == b.appEnvironment, a.at == b.at else {
      return (a.appEnvironment, a.at) < (b.appEnvironment, b.at)
    }
    // A nil customer sorts before all others.
    guard let first = a.customer, let second = b.customer else { return a.customer == nil && b.customer != nil }
    return first < second
  }
}

/// The position of a charge among those of its app environment.
struct ChargePlace: Comparable, Sendable {
  let appEnvironment: AppEnvironment
  let date: Timestamp
  let transaction: TransactionIdentifier
  let store: Store

  static func < (a: ChargePlace, b: ChargePlace) -> Bool {
    (a.appEnvironment, a.date, a.transaction, a.store) < (b.appEnvironment, b.date, b.transaction, b.store)
  }
}

/// The position of a refund among those of its app environment.
struct RefundPlace: Comparable, Sendable {
  let appEnvironment: AppEnvironment
  let createdAt: Timestamp
  let number: InMemoryRows.ExactText

  static func < (a: RefundPlace, b: RefundPlace) -> Bool {
    (a.appEnvironment, a.createdAt, a.number) < (b.appEnvironment, b.createdAt, b.number)
  }
}

extension InMemoryTransaction {
  /// Moves a row from one position in an index to another; nil if it has none.
  func move<Key>(
    _ index: WritableKeyPath<InMemoryRows, OrderedKeys<Key>>, from before: Key?, to after: Key?
  ) {
    guard before != after else { return }
    if let before { rows[keyPath: index].remove(before) }
    if let after { rows[keyPath: index].insert(after) }
    undo { rows in
      if let after { rows[keyPath: index].remove(after) }
      if let before { rows[keyPath: index].insert(before) }
    }
  }
}
