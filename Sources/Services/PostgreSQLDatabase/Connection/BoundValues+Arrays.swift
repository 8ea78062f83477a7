extension BoundValues {
  /// The values of many rows as one array for each parameter.
  ///
  /// - Parameter count: a last value, if the statement wants it.
  init(joining rows: [BoundValues], types: [ArrayType], count: Int?) {
    self.init()
    reserve(rows.reduce(0) { $0 + $1.bytes.count + 4 * $1.ends.count } + 20 * types.count)
    var starts = [Int](repeating: 0, count: rows.count)
    for (column, type) in types.enumerated() {
      let hasNull = rows.contains { $0.ends[column] == nil }
      // Dimensions, whether it has nulls, the element's type, and of its one dimension the length and first index.
      for head in [1, hasNull ? 1 : 0, type.number, Int32(rows.count), 1] { append(head) }
      for (place, row) in rows.enumerated() {
        guard let end = row.ends[column] else {
          append(-1)
          continue
        }
        append(Int32(end - starts[place]))
        append(row.bytes[starts[place]..<end])
        starts[place] = end
      }
      endValue()
    }
    if let count { add(Int64(count)) }
  }

  private mutating func append(_ number: Int32) {
    withUnsafeBytes(of: number.bigEndian) { append($0) }
  }

  /// What tells two rows of values apart.
  ///
  /// - Parameter parameters: the numbers of the values that matter, from 0.
  func identity(_ parameters: [Int]) -> [UInt8] {
    var identity: [UInt8] = []
    for parameter in parameters {
      let start = ends[..<parameter].last { $0 != nil } ?? 0
      let value = bytes[(start ?? 0)..<(ends[parameter] ?? start ?? 0)]
      withUnsafeBytes(of: value.count) { identity.append(contentsOf: $0) }
      identity += value
    }
    return identity
  }
}
