import CPostgreSQL

extension BoundValues {
  /// Sends a prepared statement with these values.
  func send(to handle: OpaquePointer?, _ name: String) -> Bool {
    bytes.withUnsafeBytes { bytes in
      // An array without bytes has no address; a text of no length needs one.
      withUnsafeBytes(of: UInt8(0)) { none in
        let first = (bytes.baseAddress ?? none.baseAddress)?.assumingMemoryBound(to: CChar.self)
        var start = 0
        var values: [UnsafePointer<CChar>?] = []
        var lengths: [Int32] = []
        values.reserveCapacity(ends.count)
        lengths.reserveCapacity(ends.count)
        for end in ends {
          values.append(end == nil ? nil : first.map { $0 + start })
          lengths.append(Int32(end.map { $0 - start } ?? 0))
          start = end ?? start
        }
        let formats = [Int32](repeating: 1, count: ends.count)
        return PQsendQueryPrepared(handle, name, Int32(ends.count), values, lengths, formats, 1) == 1
      }
    }
  }
}
