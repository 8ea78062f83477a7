extension BoundValues {
  /// The values of many rows as one array for each parameter.
  ///
  /// - Parameter count: a last value, if the statement wants it.
  init(joining rows: [BoundValues], types: [ArrayType], count: Int?) {
    var joined = JoinedRows(columns: types.count)
    for row in rows { joined.append(row) }
    self = joined.values(types, count: count)
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
