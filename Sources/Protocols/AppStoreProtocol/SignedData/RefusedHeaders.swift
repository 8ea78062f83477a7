import Cryptography

/// The headers with a chain that was rejected, each with the check that failed.
///
/// They are sorted, and a search compares bytes. A hash of a header of 4 kB would cost more than the rest of the
/// checks, and a hash of a part of it would let a sender make all headers collide.
struct RefusedHeaders: Sendable {
  private struct Entry {
    let header: HeaderBytes
    let failure: FailedCheck
  }

  private let countMax: Int
  private var sorted: [Entry] = []
  /// In the order of arrival, from `next` on; the oldest is replaced first.
  private var arrivals: [HeaderBytes] = []
  private var next = 0

  init(countMax: Int) { self.countMax = countMax }

  func failure(of header: UnsafeRawBufferPointer) -> FailedCheck? {
    let place = self.place(of: header)
    guard place < sorted.count, sorted[place].header.order(to: header) == 0 else { return nil }
    return sorted[place].failure
  }

  /// Remembers a failure; the first one of a header stays. If there is no room, it replaces the oldest.
  mutating func remember(_ failure: FailedCheck, of header: HeaderBytes) {
    guard countMax > 0, header.bytes.withUnsafeBytes({ self.failure(of: $0) }) == nil else { return }
    if arrivals.count < countMax {
      arrivals.append(header)
    } else {
      let oldest = arrivals[next].bytes.withUnsafeBytes { self.place(of: $0) }
      sorted.remove(at: oldest)
      arrivals[next] = header
      next = (next + 1) % countMax
    }
    let place = header.bytes.withUnsafeBytes { self.place(of: $0) }
    sorted.insert(Entry(header: header, failure: failure), at: place)
  }

  /// The place of this header, or the place where it would be inserted.
  private func place(of header: UnsafeRawBufferPointer) -> Int {
    var range = 0..<sorted.count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if sorted[middle].header.order(to: header) < 0 {
        range = (middle + 1)..<range.upperBound
      } else {
        range = range.lowerBound..<middle
      }
    }
    return range.lowerBound
  }
}

/// The encoded header of a token, compared as a whole. An array would compare byte by byte.
struct HeaderBytes: Equatable, Sendable {
  let bytes: [UInt8]

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = Array(bytes) }

  /// Joins several byte lists. They are DER elements, so two different lists never give the same bytes.
  init(joining pieces: [[UInt8]]) { bytes = Array(pieces.joined()) }

  static func == (a: HeaderBytes, b: HeaderBytes) -> Bool {
    a.bytes.withUnsafeBytes { a in b.bytes.withUnsafeBytes { b in hasEqualBytes(a, b) } }
  }

  /// Below zero if it stands before the other one, 0 if they are equal.
  func order(to other: UnsafeRawBufferPointer) -> Int {
    bytes.withUnsafeBytes { orderOfBytes($0, other) }
  }
}
