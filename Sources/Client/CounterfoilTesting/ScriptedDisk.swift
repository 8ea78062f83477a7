public import Counterfoil
import PaymentPrimitives
import Synchronization

/// The device's disk: a file has its old or its new contents, whenever the process ends.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public final class ScriptedDisk: Sendable {
  private struct State {
    var files: [String: [UInt8]] = [:]
    var cannotWrite = false
    var cannotRead = false
    var writes: [String] = []
  }
  private let state = Mutex(State())
  /// The error of a disk that refuses access.
  public struct Failure: Error {}

  /// An empty disk.
  public init() {}

  /// The names of the files, sorted.
  public var names: [String] { state.withLock { $0.files.keys.sorted() } }
  /// The names of the written files, in order.
  public var writes: [String] { state.withLock { $0.writes } }
  /// The contents of a file.
  public func text(_ name: String) -> String {
    state.withLock { String(decoding: $0.files[name] ?? [], as: UTF8.self) }
  }
  /// Writes a file as an earlier run would have left it.
  public func put(_ name: String, _ text: String) { state.withLock { $0.files[name] = Array(text.utf8) } }

  /// Writes an order's record as an earlier run of the app would have left it. It is for one piece of a product, with
  /// the given times of creation and expiry.
  public func putRecord(
    _ name: String, user: String, product: String = "coins60", state: String, order: UInt64,
    createdAt: String = "2027-01-15T07:00:00.000Z", expiresAt: String = "2027-01-22T07:00:00.000Z"
  ) {
    let id = OrderIdentifier(high: 0x0192_F0C8_0000_7000, low: 1 << 63 | order)
    put(
      "order-\(name).json",
      #"{"version":1,"kind":"order","record":"\#(name)","app":"shop","user":"\#(user)","#
        + #""request":{"productId":"\#(product)","store":"appStore"},"writtenAt":"\#(createdAt)","state":\#(state),"#
        + #""order":{"id":"\#(id)","storeProduct":"com.example.\#(product)","createdAt":"\#(createdAt)","#
        + #""expiresAt":"\#(expiresAt)"}}"#)
  }

  /// Sets whether writing and removing fail.
  public func refuseWrites(_ refuses: Bool) { state.withLock { $0.cannotWrite = refuses } }
  /// Sets whether reading fails, as on a locked device.
  public func refuseReads(_ refuses: Bool) { state.withLock { $0.cannotRead = refuses } }

  /// The disk as the vault's folder. The process may end before a call takes effect, and before it returns.
  public var folder: VaultFolder {
    VaultFolder(
      list: {
        await Task.yield()
        return try self.state.withLock { state in
          if state.cannotRead { throw Failure() }
          return state.files.keys.sorted()
        }
      },
      read: { name, bytesMax in
        try self.state.withLock { state in
          guard !state.cannotRead, state.files[name, default: []].count <= bytesMax else { throw Failure() }
          return state.files[name]
        }
      },
      replace: { name, bytes in
        await Task.yield()
        try self.state.withLock { state in
          if state.cannotWrite { throw Failure() }
          state.files[name] = bytes
          state.writes.append(name)
        }
        await Task.yield()
      },
      remove: { name in
        await Task.yield()
        try self.state.withLock { state in
          if state.cannotWrite { throw Failure() }
          state.files[name] = nil
        }
        await Task.yield()
      })
  }
}
