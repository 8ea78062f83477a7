package import PaymentPrimitives

/// Planned work, ordered by time, then item. While a server is down for days the list can be very long, so no operation
/// reads all of it.
package struct DueList<Item: Hashable & Comparable & Sendable>: Hashable, Sendable {
  package struct Entry: Hashable, Comparable, Sendable {
    package let moment: Timestamp
    package let item: Item

    package init(moment: Timestamp, item: Item) {
      self.moment = moment
      self.item = item
    }

    package static func < (a: Entry, b: Entry) -> Bool {
      a.moment == b.moment ? a.item < b.item : a.moment < b.moment
    }
  }

  package private(set) var entries: [Entry] = []

  package init() {}

  package mutating func insert(_ entry: Entry) { entries.insert(entry, at: position(of: entry)) }

  package mutating func remove(_ entry: Entry) {
    let position = position(of: entry)
    if position < entries.count, entries[position] == entry { entries.remove(at: position) }
  }

  /// The position of the entry, or the position to insert it.
  private func position(of entry: Entry) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle] < entry { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
