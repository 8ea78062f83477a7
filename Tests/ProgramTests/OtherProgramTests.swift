import Foundation
import PaymentPrimitives
import SystemPlatform
import TestPlatform
import TestSubprocess
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Whether a process still runs. A zombie does not.
private func runs(_ process: pid_t) -> Bool {
  guard kill(process, 0) == 0 else { return false }
  let row = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
  return !row.contains(") Z ")
}

/// A shell that ignores requests to end and hangs, with a child that does the same in its own group. Both print their
/// process ids.
private let hanging = """
  trap '' TERM INT HUP
  set -m
  sh -c 'trap "" TERM INT HUP; echo "$$"; while :; do sleep 1; done' &
  set +m
  echo "$$"
  while :; do sleep 1; done
  """

private func processes(of program: OtherProgram) async throws -> [pid_t] {
  #expect(try await eventually { program.output.split(separator: "\n").count == 2 })
  return program.output.split(separator: "\n").compactMap { pid_t($0) }
}

/// A test never waits forever for a program, and leaves none running.
@Suite struct `A program beside a test` {
  @Test(.timeLimit(.minutes(2)))
  func `that hangs is ended at its deadline, together with its hanging child`() async throws {
    let program = try OtherProgram("/bin/sh", ["-c", hanging], within: .seconds(3))
    let both = try await processes(of: program)
    #expect(both.count == 2)
    #expect(try await eventually { program.hasEnded }, "it is ended")
    #expect(try await eventually { !both.contains(where: runs) }, "both are ended")
    #expect(program.wasEndedByDeadline && program.status == 128 + SIGKILL)
    program.kill()
  }

  @Test func `is awaited until its deadline, and the test gets the reason for the failure`() throws {
    let failure = #expect(throws: OtherProgram.Failure.self) {
      try OtherProgram.run("/bin/sh", ["-c", "echo words >&2; sleep 1000"], within: .seconds(1))
    }
    #expect(failure?.description.contains("ended at its deadline") == true)
    #expect(failure?.description.contains("words") == true)
  }

  @Test func `that is killed ends with its child`() async throws {
    let program = try OtherProgram("/bin/sh", ["-c", hanging])
    let both = try await processes(of: program)
    program.kill()
    #expect(!both.contains(where: runs))
    #expect(!program.wasEndedByDeadline)
  }

  #if os(Linux)
    // Each process of PostgreSQL leads a session: one that lived on could answer commits that a restart then loses.
    @Test func `that is killed ends with a child that leads a session of its own`() async throws {
      let program = try OtherProgram(
        "/bin/sh", ["-c", "echo $$; setsid sh -c 'echo $$; exec sleep 1000' & wait"])
      let both = try await processes(of: program)
      program.kill()
      #expect(both.count == 2 && !both.contains(where: runs))
      for process in both { kill(process, SIGKILL) }
    }
  #endif

  @Test func `leaves no child behind when it ends by itself`() async throws {
    let program = try OtherProgram("/bin/sh", ["-c", "sleep 1000 & echo \"$!\"; exit 3"])
    #expect(program.end() == 3)
    let child = try #require(pid_t(program.output.split(separator: "\n").first ?? ""))
    #expect(!runs(child))
  }

  // The process of the tests is killed at once, as at its own deadline.
  @Test(.timeLimit(.minutes(2)))
  func `ends with its child when the process of the tests is killed`() async throws {
    try await withFolder { folder in
      let place = folder + "/processes"
      await #expect(processExitsWith: .signal(SIGKILL)) { [place = place as String] in
        let program = try OtherProgram("/bin/sh", ["-c", hanging])
        let both = try await processes(of: program)
        try both.map { "\($0)" }.joined(separator: "\n").write(toFile: place, atomically: true, encoding: .utf8)
        kill(getpid(), SIGKILL)
      }
      let both = try String(contentsOfFile: place, encoding: .utf8).split(separator: "\n").compactMap { pid_t($0) }
      #expect(both.count == 2)
      #expect(try await eventually { !both.contains(where: runs) })
      for process in both { kill(process, SIGKILL) }
    }
  }
}
