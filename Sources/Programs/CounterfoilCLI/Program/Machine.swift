/// The machine that a measurement runs on. What the system does not tell is nil.
package struct Machine: Sendable {
  package var processorModel: String?
  package var coreCount = 1
  /// What serves `malloc`; nil for the system's own.
  package var allocator: String?
  /// The load average of the last minute, in hundredths.
  package var loadInHundredths: @Sendable () -> Int? = { nil }
  /// Nanoseconds of processor time that all programs together have used.
  package var busyNanoseconds: @Sendable () -> UInt64? = { nil }
  /// Nanoseconds of processor time of the programs that this one started and that have ended.
  package var childrenNanoseconds: @Sendable () -> UInt64 = { 0 }
  /// The memory that this process holds, in bytes.
  package var residentBytes: @Sendable () -> Int? = { nil }
  /// How long the disk takes to keep so many new bytes of a file in that folder, each of so many times, in nanoseconds.
  package var synchronizationTimes: @Sendable (_ folder: String, _ bytes: Int, _ count: Int) throws -> [UInt64] = {
    _, _, _ in []
  }

  package init() {}
}
