import AppStoreSimulator
import Counterfoil
import PaymentPrimitives
import SimulatorCore
import Synchronization
import WeChatPaySimulator

/// A phone's disk: a file exists in its old or its new form, whenever the process ends.
///
/// It is no actor: a killed process that was about to enter an actor would block it for all others.
final class WorldDisk: Sendable {
  private let files = Mutex<[String: [UInt8]]>([:])

  func lose() { files.withLock { $0 = [:] } }

  /// The disk as a vault's folder; the process may be killed between any two of its steps.
  func folder(_ dependencies: Dependencies) -> VaultFolder {
    let pause: @Sendable () async -> Void = { try? await dependencies.sleep(.milliseconds(1)) }
    return VaultFolder(
      list: { [self] in
        await pause()
        return files.withLock { $0.keys.sorted() }
      },
      read: { [self] name, _ in files.withLock { $0[name] } },
      replace: { [self] name, bytes in
        await pause()
        files.withLock { $0[name] = bytes }
        await pause()
      },
      remove: { [self] name in
        await pause()
        files.withLock { $0[name] = nil }
        await pause()
      })
  }
}

/// The log file of a simulated store: a kill in the middle of a line leaves it incomplete.
final class WorldLogFile: Sendable {
  private struct State {
    var lines: [[UInt8]] = []
    var blow: (inLine: Int, strike: @Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// The log interface; like a file, it first removes the incomplete line of a kill, so that the next record starts a
  /// new line.
  func log(_ dependencies: Dependencies) -> SimulatorLog {
    SimulatorLog(
      append: { [self] line in await append(line, dependencies) }, readAll: { [self] in state.withLock { $0.lines } })
  }

  func weChatPayLog(_ dependencies: Dependencies) -> SimulatorLog {
    SimulatorLog(
      append: { [self] line in await append(line, dependencies) }, readAll: { [self] in state.withLock { $0.lines } })
  }

  /// Runs an action while an incomplete line is in the file.
  ///
  /// - Parameter count: which line from now on, counted from 1.
  func strike(inLine count: Int, _ strike: @escaping @Sendable () -> Void) {
    state.withLock { $0.blow = ($0.lines.count + count, strike) }
  }

  private func append(_ line: [UInt8], _ dependencies: Dependencies) async {
    try? await dependencies.sleep(.milliseconds(1))
    let (index, strike) = state.withLock { state -> (Int, (@Sendable () -> Void)?) in
      state.lines.append(Array(line.prefix(line.count / 2)))
      guard let blow = state.blow, state.lines.count >= blow.inLine else { return (state.lines.count - 1, nil) }
      state.blow = nil
      return (state.lines.count - 1, blow.strike)
    }
    strike?()
    try? await dependencies.sleep(.milliseconds(1))
    state.withLock { $0.lines[index] = line }
    try? await dependencies.sleep(.milliseconds(1))
  }
}
