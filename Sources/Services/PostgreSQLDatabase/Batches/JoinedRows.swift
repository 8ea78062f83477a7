/// The values of many rows, by column: as one array for each parameter, in PostgreSQL's binary form.
struct JoinedRows {
  private var columns: [[UInt8]]
  private var haveNulls: [Bool]
  private(set) var count = 0
  /// The bytes of all values.
  private(set) var byteCount = 0

  init(columns: Int) {
    self.columns = Array(repeating: [], count: columns)
    haveNulls = Array(repeating: false, count: columns)
  }

  mutating func append(_ row: BoundValues) {
    var start = 0
    for (column, end) in row.ends.enumerated() where column < columns.count {
      guard let end else {
        haveNulls[column] = true
        Self.append(-1, to: &columns[column])
        continue
      }
      Self.append(Int32(end - start), to: &columns[column])
      columns[column].append(contentsOf: row.bytes[start..<end])
      start = end
    }
    count += 1
    byteCount += row.bytes.count
  }

  /// One array for each column, and the number of rows if the statement wants it.
  func values(_ types: [ArrayType], count wanted: Int?) -> BoundValues {
    var values = BoundValues()
    values.reserve(columns.reduce(8) { $0 + $1.count + 20 })
    var head: [UInt8] = []
    for (column, type) in types.enumerated() {
      head.removeAll(keepingCapacity: true)
      // Dimensions, whether it has nulls, the element's type, and of its one dimension the length and first index.
      for number in [1, haveNulls[column] ? 1 : 0, type.number, Int32(count), 1] { Self.append(number, to: &head) }
      values.append(head)
      values.append(columns[column])
      values.endValue()
    }
    if let wanted { values.add(Int64(wanted)) }
    return values
  }

  private static func append(_ number: Int32, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }
}
