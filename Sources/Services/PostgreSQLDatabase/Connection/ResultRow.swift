import CPostgreSQL
import PaymentDatabase
import PaymentPrimitives
import SQLRows

/// A row of a result in PostgreSQL's binary form.
struct ResultRow {
  private let result: OpaquePointer
  private let row: Int32
  /// The column that had to be a number and is none; −1 if there is none such.
  private var damaged: Int32 = -1

  init(_ result: OpaquePointer, row: Int32) {
    self.result = result
    self.row = row
  }

  mutating func read<Row>(_ read: (inout Columns) throws -> Row) throws -> Row {
    let row = try withUnsafeMutablePointer(to: &self) { place in
      var columns = Columns(OpaquePointer(place), Self.functions)
      let row = try read(&columns)
      if let problem = columns.problem { throw problem }
      return row
    }
    guard damaged < 0 else {
      let name = PQfname(result, damaged).map { String(cString: $0) } ?? "?"
      throw CodedError<DatabaseErrorCode>(.damaged, "The column \(name) does not hold a number.")
    }
    return row
  }

  private func isNull(_ index: Int32) -> Bool { PQgetisnull(result, row, index) != 0 }

  private func value(_ index: Int32) -> UnsafeMutablePointer<CChar>? {
    isNull(index) ? nil : PQgetvalue(result, row, index)
  }

  private mutating func integer(_ index: Int32) -> Int64 {
    let bytes = UnsafeRawBufferPointer(start: value(index), count: Int(PQgetlength(result, row, index)))
    switch bytes.count {
    case 8: return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
    case 4: return Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
    case 1: return Int64(bytes[0])
    default:
      if damaged < 0 { damaged = index }
      return 0
    }
  }

  private static func at(_ place: OpaquePointer?) -> UnsafeMutablePointer<ResultRow>? {
    place.map { UnsafeMutablePointer($0) }
  }

  /// They take a pointer to a `ResultRow`.
  private static let functions = ColumnFunctions(
    type: { place, index in ResultRow.at(place)?.pointee.isNull(index) == false ? 1 : 0 }, nullType: 0,
    integer: { place, index in ResultRow.at(place)?.pointee.integer(index) ?? 0 },
    text: { place, index in
      ResultRow.at(place)?.pointee.value(index).map { UnsafeRawPointer($0).assumingMemoryBound(to: UInt8.self) }
    },
    bytes: { place, index in ResultRow.at(place)?.pointee.value(index).map { UnsafeRawPointer($0) } },
    count: { place, index in
      ResultRow.at(place).map { PQgetlength($0.pointee.result, $0.pointee.row, index) } ?? 0
    },
    name: { place, index in ResultRow.at(place).flatMap { UnsafePointer(PQfname($0.pointee.result, index)) } })
}
