import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Runs a command of the shell after the process of the tests has ended, for any reason, and after all programs that
/// it started were ended.
///
/// - Parameter command: one line; the folder that it removes may be gone by then.
package func runAfterTests(_ command: String) { Keeper.shared.runAtEnd(command) }

/// A shell that ends the programs of the tests after the process of the tests has ended, for any reason.
///
/// It reads a pipe that only the tests hold open. If the shell cannot be started, programs still end at their
/// deadlines.
final class Keeper: Sendable {
  static let shared = Keeper()

  /// Keeps a list of the running sessions. At the end of its input it kills each, and on Linux the groups within it.
  /// Then it runs the commands.
  private static let script = """
    trap '' HUP INT TERM
    kept=' '
    commands=
    while read -r word number; do
      case $word in
        keep) kept="$kept$number " ;;
        run) commands="$commands$number
    " ;;
        release) case $kept in *" $number "*) kept="${kept%%" $number "*} ${kept#*" $number "}" ;; esac ;;
      esac
    done
    for number in $kept; do
      kill -s KILL -- "-$number" 2>/dev/null
      for place in /proc/[0-9]*; do
        { read -r line <"$place/stat"; } 2>/dev/null || continue
        set -- ${line##*) }
        [ "${4:-}" != "$number" ] || kill -s KILL "${place#/proc/}" 2>/dev/null
      done
    done
    eval "$commands" >/dev/null 2>&1
    """

  private let channel: Int32?

  private init() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      channel = nil
      return
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // If the shell has ended, neither a signal nor a full pipe may stop a test: our own reading end stays open.
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    let errors = Spawn.Channel.file("/dev/null", O_WRONLY)
    let started = try? Spawn.start(
      "/bin/sh", ["-c", Self.script], environment: [:], channels: [.descriptor(ends[0]), errors, errors])
    channel = started == nil ? nil : ends[1]
  }

  func keep(_ identifier: pid_t) { say("keep \(identifier)\n") }

  func release(_ identifier: pid_t) { say("release \(identifier)\n") }

  func runAtEnd(_ command: String) { say("run \(command)\n") }

  private func say(_ line: String) {
    guard let channel else { return }
    // Short enough for one atomic write to a pipe.
    let bytes = Array(line.utf8)
    while write(channel, bytes, bytes.count) < 0 && errno == EINTR {}
  }
}
