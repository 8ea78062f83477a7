/// Finds the name that a mistyped name probably means.
public enum NearestName {
  /// The known name with the fewest edits, if they are few enough for a typing error: a third of its letters.
  public static func of(_ typed: String, among known: some Sequence<String>) -> String? {
    var best: (name: String, distance: Int)?
    // Names are sorted, so that two equally near names give the same answer on each run.
    for name in known.sorted() {
      let distance = distance(folded(typed), folded(name))
      guard distance <= max(1, name.utf8.count / 3), distance < best?.distance ?? .max else { continue }
      best = (name, distance)
    }
    return best?.name
  }

  /// Bound on the compared bytes of a name: the table below grows with the product of the lengths.
  private static let bytesMax = 64

  /// Case and separators are the most frequent errors in a name, so they cost nothing.
  private static func folded(_ name: String) -> [UInt8] {
    name.utf8.filter { $0 != 0x5F && $0 != 0x2D }.prefix(bytesMax).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
  }

  /// Counts inserted, deleted, replaced and swapped neighbouring letters (optimal string alignment).
  private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in 1...a.count {
      var row = [i]
      for j in 1...b.count {
        var cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          cost = min(cost, beforeLast[j - 2] + 1)
        }
        row.append(cost)
      }
      (beforeLast, last) = (last, row)
    }
    return last[b.count]
  }
}
