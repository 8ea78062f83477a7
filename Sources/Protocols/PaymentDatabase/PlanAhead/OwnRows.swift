/// The few rows that a closure has written or read itself, by their keys.
///
/// Most closures write one row of a kind. A list of a few rows costs less than a dictionary, whose hashes take longer
/// than the comparisons.
struct OwnRows<Key: Hashable, Row> {
  /// Up to so many rows are a list.
  private static var listMax: Int { 8 }

  private var list: [(key: Key, row: Row)] = []
  private var dictionary: [Key: Row] = [:]

  subscript(key: Key) -> Row? {
    get { list.first { $0.key == key }?.row ?? (dictionary.isEmpty ? nil : dictionary[key]) }
    set {
      if let index = list.firstIndex(where: { $0.key == key }) {
        if let newValue { list[index].row = newValue } else { list.remove(at: index) }
      } else if dictionary[key] != nil || list.count == Self.listMax {
        dictionary[key] = newValue
      } else if let newValue {
        list.append((key, newValue))
      }
    }
  }
}
