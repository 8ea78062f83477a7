/// Whether two texts have the same bytes. Swift's own equality treats a composed and a decomposed accent as the same.
///
/// The bytes are compared in words: simulated worlds compare identifiers all the time, and a debug build calls a
/// function for each step of a sequence.
package func haveSameBytes(_ a: String, _ b: String) -> Bool {
  // Most texts that differ also differ for `String`.
  guard a == b else { return false }
  var (first, second) = (a, b)
  return first.withUTF8 { first in
    second.withUTF8 { haveSameBytes(UnsafeRawBufferPointer(first), UnsafeRawBufferPointer($0)) }
  }
}

/// Whether two areas of memory have the same bytes.
package func haveSameBytes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
  guard a.count == b.count else { return false }
  var offset = 0
  while offset + 8 <= a.count {
    let first = a.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    guard first == b.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else { return false }
    offset += 8
  }
  while offset < a.count {
    guard a[offset] == b[offset] else { return false }
    offset += 1
  }
  return true
}
