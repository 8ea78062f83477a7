public import PaymentPrimitives

#if canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension Dependencies {
  /// The dependencies of the device that the app runs on: its clock, its random numbers, waiting in real time.
  public static let ofThisDevice = Dependencies(
    now: {
      var time = timespec()
      // Every system has this clock: this cannot fail.
      precondition(clock_gettime(CLOCK_REALTIME, &time) == 0, "the system has no clock")
      return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    },
    randomBytes: { count in
      var generator = SystemRandomNumberGenerator()
      return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next() as UInt64) }
    },
    sleep: { span in
      try Task.checkCancellation()
      guard span > .zero else { return }
      // No wait lasts a century; so the product cannot overflow.
      let milliseconds = min(span.milliseconds, TimeSpan.days(36_500).milliseconds)
      try await Task.sleep(nanoseconds: UInt64(milliseconds) * 1_000_000)
    })
}
