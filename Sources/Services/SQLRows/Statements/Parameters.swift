package import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// How a database takes the values of a statement, by the number of each: 1 for the first. See `ColumnFunctions`.
package struct ParameterFunctions: Sendable {
  package typealias Statement = UnsafeMutableRawPointer

  let integer: @convention(c) (Statement, Int32, Int64) -> Void
  let text: @convention(c) (Statement, Int32, UnsafePointer<UInt8>?, Int) -> Void
  let bytes: @convention(c) (Statement, Int32, UnsafeRawPointer?, Int) -> Void
  let null: @convention(c) (Statement, Int32) -> Void

  /// Each function copies what it is given. None is told of an error: the statement keeps it until it runs.
  package init(
    integer: @escaping @convention(c) (Statement, Int32, Int64) -> Void,
    text: @escaping @convention(c) (Statement, Int32, UnsafePointer<UInt8>?, Int) -> Void,
    bytes: @escaping @convention(c) (Statement, Int32, UnsafeRawPointer?, Int) -> Void,
    null: @escaping @convention(c) (Statement, Int32) -> Void
  ) {
    self.integer = integer
    self.text = text
    self.bytes = bytes
    self.null = null
  }
}

/// The values of a statement, added in the order of its question marks.
package struct Parameters {
  private let statement: ParameterFunctions.Statement
  private let functions: ParameterFunctions
  private var index: Int32 = 0
  /// Set by a text that databases do not keep alike.
  package private(set) var problem: CodedError<DatabaseErrorCode>?

  package init(_ statement: ParameterFunctions.Statement, _ functions: ParameterFunctions) {
    self.statement = statement
    self.functions = functions
  }

  package mutating func add(_ text: String) {
    index += 1
    var text = text
    text.withUTF8 { bytes in
      if let start = bytes.baseAddress, memchr(start, 0, bytes.count) != nil { problem = .unstorableText }
      functions.text(statement, index, bytes.baseAddress, bytes.count)
    }
  }

  package mutating func add(_ text: String?) {
    if let text { add(text) } else { addNull() }
  }

  package mutating func add(_ number: Int64) {
    index += 1
    functions.integer(statement, index, number)
  }

  package mutating func add(_ number: Int64?) {
    if let number { add(number) } else { addNull() }
  }

  package mutating func add(_ number: Int) { add(Int64(number)) }

  package mutating func add(_ flag: Bool) { add(flag ? Int64(1) : 0) }

  package mutating func add(_ moment: Timestamp) { add(moment.milliseconds) }

  package mutating func add(_ moment: Timestamp?) { add(moment?.milliseconds) }

  package mutating func add<Subject>(_ identifier: Identifier<Subject>) { add(identifier.text) }

  package mutating func add<Subject>(_ identifier: Identifier<Subject>?) { add(identifier?.text) }

  package mutating func add(_ id: OrderIdentifier) {
    index += 1
    withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) {
      functions.bytes(statement, index, $0.baseAddress, $0.count)
    }
  }

  package mutating func add(_ id: OrderIdentifier?) {
    if let id { add(id) } else { addNull() }
  }

  package mutating func add(_ blob: [UInt8]) {
    index += 1
    blob.withUnsafeBytes { functions.bytes(statement, index, $0.baseAddress, $0.count) }
  }

  package mutating func add(_ blob: [UInt8]?) {
    if let blob { add(blob) } else { addNull() }
  }

  package mutating func add(_ appEnvironment: AppEnvironment) {
    add(appEnvironment.app)
    add(appEnvironment.environment.rawValue)
  }

  package mutating func add(_ key: PaymentKey) {
    add(key.app)
    add(key.store.rawValue)
    add(key.environment.rawValue)
    add(key.transaction)
  }

  package mutating func add(_ key: OrderKey) {
    add(key.appEnvironment)
    add(key.id)
  }

  package mutating func addNull() {
    index += 1
    functions.null(statement, index)
  }
}
