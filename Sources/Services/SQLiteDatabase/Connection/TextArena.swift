/// The memory for the texts of one statement while it runs. Each text is copied once, without a separate allocation.
///
/// Otherwise SQLite would copy each text into newly allocated memory, which costs more than many inserts. A statement
/// reads its texts only while it runs, and the next statement overwrites them.
final class TextArena {
  private let bytes: UnsafeMutableRawPointer
  private var used = 0

  /// Enough for all texts of a statement except the largest evidence, which SQLite then copies itself.
  private static let capacity = 65_536

  init() {
    bytes = UnsafeMutableRawPointer.allocate(byteCount: Self.capacity, alignment: 8)
  }

  deinit { bytes.deallocate() }

  /// Discards the texts of the previous statement.
  func clear() { used = 0 }

  /// A copy that does not move until `clear`; nil if there is no room.
  func copy(_ text: UnsafeRawBufferPointer) -> UnsafePointer<CChar>? {
    guard let source = text.baseAddress, text.count <= Self.capacity - used else { return nil }
    let copy = bytes + used
    copy.copyMemory(from: source, byteCount: text.count)
    used += text.count
    return UnsafePointer(copy.assumingMemoryBound(to: CChar.self))
  }
}
