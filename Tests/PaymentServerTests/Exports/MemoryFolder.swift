import PaymentPrimitives
import PaymentServer
import Synchronization
import TestDoubles

/// The folder of an export in memory. A process can be killed before, or in the middle of, any write or removal.
final class MemoryFolder: Sendable {
  struct Killed: Error {}

  private struct State {
    var files: [String: [UInt8]] = [:]
    /// Changes until the process is killed; nil: it lives.
    var changesLeft: Int?
  }

  private let state = Mutex(State())

  var files: [String: [UInt8]] {
    get { state.withLock { $0.files } }
    set { state.withLock { $0.files = newValue } }
  }

  /// Kills the process at the change after so many; nil: never.
  func kill(after changes: Int?) { state.withLock { $0.changesLeft = changes } }

  func text(_ name: String) -> String { String(decoding: files[name] ?? [], as: UTF8.self) }

  /// The lines of a file of CSV, without that of the columns.
  func rows(_ name: String) -> [String] { Array(text(name).split(separator: "\r\n").dropFirst().map { String($0) }) }

  var folder: ExportFolder {
    ExportFolder(
      path: "exports", read: { [self] name, bytesMax in files[name].map { Array($0.prefix(bytesMax)) } },
      open: { [self] name in
        guard let bytes = files[name] else { return nil }
        let rest = SharedValue(bytes[...])
        return {
          let piece = Array(rest.value.prefix(64))
          rest.value = rest.value.dropFirst(64)
          return piece
        }
      },
      replace: { [self] name, bytes in
        try change { files in
          files[name] = bytes
        } orLeave: { files in
          files[name + ".1a2b.new"] = Array(bytes.prefix(9))
        }
      },
      remove: { [self] name in
        try change {
          $0[name] = nil
        } orLeave: { _ in
        }
      },
      names: { [self] in files.keys.sorted() })
  }

  private func change(
    _ change: (inout [String: [UInt8]]) -> Void, orLeave remains: (inout [String: [UInt8]]) -> Void
  ) throws {
    try state.withLock { state in
      if let left = state.changesLeft {
        guard left > 0 else {
          remains(&state.files)
          throw Killed()
        }
        state.changesLeft = left - 1
      }
      change(&state.files)
    }
  }
}
