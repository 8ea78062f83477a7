import CPostgreSQL

extension BoundValues {
  /// Sends a prepared statement with these values.
  func send(to handle: OpaquePointer?, _ name: String) -> Bool {
    // One byte more, so that the text of no length has an address too.
    (bytes + [0]).withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        var start = 0
        var values: [UnsafePointer<CChar>?] = []
        var lengths: [Int32] = []
        for end in ends {
          values.append(end == nil ? nil : characters.baseAddress.map { $0 + start })
          lengths.append(Int32(end.map { $0 - start } ?? 0))
          start = end ?? start
        }
        let formats = [Int32](repeating: 1, count: ends.count)
        return PQsendQueryPrepared(handle, name, Int32(ends.count), values, lengths, formats, 1) == 1
      }
    }
  }
}
