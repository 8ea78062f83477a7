import PaymentDatabase
import PaymentPrimitives
import SQLRows

/// The values of a statement in PostgreSQL's binary form.
struct BoundValues {
  /// The bytes of all values, one after another.
  private(set) var bytes: [UInt8] = []
  /// Where each value ends; nil for null.
  private(set) var ends: [Int?] = []
  /// Set by a text that cannot be kept.
  private(set) var problem: CodedError<DatabaseErrorCode>?

  init() {}

  /// Takes the values that a closure adds.
  init(_ bind: (inout Parameters) -> Void) {
    bytes.reserveCapacity(128)
    take(bind)
  }

  /// The same in place of those before, whose memory it uses again.
  mutating func take(_ bind: (inout Parameters) -> Void) {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    problem = nil
    withUnsafeMutablePointer(to: &self) { values in
      var parameters = Parameters(values, Self.functions)
      bind(&parameters)
      values.pointee.problem = parameters.problem
    }
  }

  mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

  mutating func append(_ more: [UInt8]) { bytes.append(contentsOf: more) }

  mutating func endValue() { ends.append(bytes.count) }

  mutating func add(_ number: Int64) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    ends.append(bytes.count)
  }

  private mutating func add(_ text: UnsafePointer<UInt8>?, _ count: Int) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text, count: count))
    ends.append(bytes.count)
  }

  private mutating func add(_ blob: UnsafeRawPointer?, _ count: Int) {
    bytes.append(contentsOf: UnsafeRawBufferPointer(start: blob, count: count))
    ends.append(bytes.count)
  }

  private mutating func addNull() { ends.append(nil) }

  /// They take a pointer to `BoundValues`.
  private static let functions = ParameterFunctions(
    integer: { statement, _, number in statement.assumingMemoryBound(to: Self.self).pointee.add(number) },
    text: { statement, _, text, count in statement.assumingMemoryBound(to: Self.self).pointee.add(text, count) },
    bytes: { statement, _, blob, count in statement.assumingMemoryBound(to: Self.self).pointee.add(blob, count) },
    null: { statement, _ in statement.assumingMemoryBound(to: Self.self).pointee.addNull() })
}

extension Parameters {
  /// An array of numbers (`bigint[]`).
  mutating func add(_ numbers: [Int64]) {
    var bytes: [UInt8] = []
    func append(_ number: Int32) { withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) } }
    // Dimensions, whether it has nulls, the element's type, and of its one dimension the length and first index.
    for head in numbers.isEmpty ? [0, 0, Self.bigint] : [1, 0, Self.bigint, Int32(numbers.count), 1] { append(head) }
    for number in numbers {
      append(8)
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
    add(bytes)
  }

  /// The number of the type in PostgreSQL's catalogue.
  private static let bigint: Int32 = 20
}
