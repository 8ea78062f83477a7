import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// The values of a statement in PostgreSQL's binary form, added in the order of its question marks.
struct Parameters {
  /// The bytes of all values, one after another.
  private(set) var bytes: [UInt8] = []
  /// Where each value ends; nil for null.
  private(set) var ends: [Int?] = []
  /// Set by a text that PostgreSQL cannot keep.
  private(set) var problem: CodedError<DatabaseErrorCode>?

  mutating func add(_ text: String) {
    let start = bytes.count
    bytes.append(contentsOf: text.utf8)
    if bytes[start...].contains(0) {
      problem = problem ?? CodedError(.unstorableText, "A text contains the character U+0000.")
    }
    ends.append(bytes.count)
  }

  mutating func add(_ text: String?) {
    if let text { add(text) } else { addNull() }
  }

  mutating func add(_ number: Int64) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    ends.append(bytes.count)
  }

  mutating func add(_ number: Int64?) {
    if let number { add(number) } else { addNull() }
  }

  mutating func add(_ number: Int) { add(Int64(number)) }

  mutating func add(_ flag: Bool) { add(flag ? Int64(1) : 0) }

  mutating func add(_ moment: Timestamp) { add(moment.milliseconds) }

  mutating func add(_ moment: Timestamp?) { add(moment?.milliseconds) }

  mutating func add<Subject>(_ identifier: Identifier<Subject>) { add(identifier.text) }

  mutating func add<Subject>(_ identifier: Identifier<Subject>?) { add(identifier?.text) }

  mutating func add(_ id: OrderIdentifier) {
    withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { bytes.append(contentsOf: $0) }
    ends.append(bytes.count)
  }

  mutating func add(_ id: OrderIdentifier?) {
    if let id { add(id) } else { addNull() }
  }

  mutating func add(_ blob: [UInt8]) {
    bytes += blob
    ends.append(bytes.count)
  }

  mutating func add(_ blob: [UInt8]?) {
    if let blob { add(blob) } else { addNull() }
  }

  mutating func add(_ appEnvironment: AppEnvironment) {
    add(appEnvironment.app)
    add(appEnvironment.environment.rawValue)
  }

  mutating func addNull() { ends.append(nil) }

  /// An array of numbers (`bigint[]`).
  mutating func add(_ numbers: [Int64]) {
    func append(_ number: Int32) { withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) } }
    // Dimensions, whether it has nulls, the element's type, and of its one dimension the length and first index.
    for head in numbers.isEmpty ? [0, 0, Self.bigint] : [1, 0, Self.bigint, Int32(numbers.count), 1] { append(head) }
    for number in numbers {
      append(8)
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
    ends.append(bytes.count)
  }

  /// The number of the type in PostgreSQL's catalogue.
  private static let bigint: Int32 = 20
}
