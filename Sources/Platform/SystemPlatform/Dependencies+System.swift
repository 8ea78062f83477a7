package import PaymentPrimitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Dependencies {
  /// The real dependencies: the system's wall clock, the kernel's random numbers, waiting in real time.
  package static let system = Dependencies(
    now: { SystemClock.now() },
    randomBytes: { SystemRandomness.bytes($0) },
    sleep: { span in
      try Task.checkCancellation()
      guard span > .zero else { return }
      try await Task.sleep(for: .milliseconds(span.milliseconds))
    })
}

package enum SystemClock {
  /// The current time of the wall clock, which may be set back or forward while the program runs.
  package static func now() -> Timestamp {
    let time = read(CLOCK_REALTIME)
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// Nanoseconds of a clock that only goes forward; for durations, never for dates.
  package static func monotonicNanoseconds() -> UInt64 { nanoseconds(CLOCK_MONOTONIC) }

  /// Nanoseconds of processor time that all threads of this process have used.
  package static func processorNanoseconds() -> UInt64 { nanoseconds(CLOCK_PROCESS_CPUTIME_ID) }

  private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
    let time = read(clock)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  private static func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    // The three clocks exist on every supported system, so this cannot fail.
    precondition(clock_gettime(clock, &time) == 0, "the system has no such clock")
    return time
  }
}

/// The kernel's random numbers: on Linux `getrandom`, through the standard library.
enum SystemRandomness {
  static func bytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    while bytes.count < count {
      withUnsafeBytes(of: generator.next()) { bytes += $0 }
    }
    return Array(bytes.prefix(max(0, count)))
  }
}
