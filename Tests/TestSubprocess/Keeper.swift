import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A shell beside the process of the tests that ends what tests have started when that process is gone, however it
/// went.
///
/// It reads a pipe that only the tests hold open. Where it cannot be started, programs still end by their deadlines.
final class Keeper: Sendable {
  static let shared = Keeper()

  /// Knows the sessions that run; at the end of its input it kills each, and on Linux the groups within it.
  private static let script = """
    trap '' HUP INT TERM
    kept=' '
    while read -r word number; do
      case $word in
        keep) kept="$kept$number " ;;
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
    """

  private let channel: Int32?

  private init() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      channel = nil
      return
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // Were the shell gone, neither a signal nor a full pipe may stop a test: our own reading end stays open.
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    let errors = Spawn.Channel.file("/dev/null", O_WRONLY)
    let started = try? Spawn.start(
      "/bin/sh", ["-c", Self.script], environment: [:], channels: [.descriptor(ends[0]), errors, errors])
    channel = started == nil ? nil : ends[1]
  }

  func keep(_ identifier: pid_t) { say("keep \(identifier)\n") }

  func release(_ identifier: pid_t) { say("release \(identifier)\n") }

  private func say(_ line: String) {
    guard let channel else { return }
    // Shorter than what a pipe takes as a whole.
    let bytes = Array(line.utf8)
    while write(channel, bytes, bytes.count) < 0 && errno == EINTR {}
  }
}
