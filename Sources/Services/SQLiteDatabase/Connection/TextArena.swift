/// Where the texts of one statement lie while it runs: copied once, without asking for memory for each.
///
/// SQLite would otherwise copy each text into a piece of memory of its own, which costs more than many an insert. The
/// texts of a statement are read only while it runs, and the next statement overwrites them.
final class TextArena {
  private let bytes: UnsafeMutableRawPointer
  private var used = 0

  /// Enough for all texts of a statement but the largest evidence, which SQLite then copies itself.
  private static let capacity = 65_536

  init() {
    bytes = UnsafeMutableRawPointer.allocate(byteCount: Self.capacity, alignment: 8)
  }

  deinit { bytes.deallocate() }

  /// Forgets the texts of the statement before.
  func clear() { used = 0 }

  /// A copy that lies still until `clear`; nil when there is no room.
  func copy(_ text: UnsafeRawBufferPointer) -> UnsafePointer<CChar>? {
    guard let source = text.baseAddress, text.count <= Self.capacity - used else { return nil }
    let copy = bytes + used
    copy.copyMemory(from: source, byteCount: text.count)
    used += text.count
    return UnsafePointer(copy.assumingMemoryBound(to: CChar.self))
  }
}
