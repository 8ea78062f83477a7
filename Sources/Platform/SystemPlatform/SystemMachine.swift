package import PaymentPrimitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The machine and its present work, for measurements. What a system does not tell is nil.
package enum SystemMachine {
  /// The name of the processor; Linux tells it.
  package static var processorModel: String? {
    value(of: "model name", in: "/proc/cpuinfo").map { String($0) }
  }

  package static var coreCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  /// The load average of the last minute, in hundredths.
  package static var loadInHundredths: Int? {
    var average = 0.0
    return getloadavg(&average, 1) == 1 ? Int(average * 100) : nil
  }

  /// Nanoseconds of processor time that all programs together have used since the start of the machine, with what other
  /// virtual machines took. Linux tells it.
  package static var busyNanoseconds: UInt64? {
    guard let text = text(of: "/proc/stat"), let line = text.split(separator: "\n").first else { return nil }
    let words = line.split(separator: " ")
    guard words.first == "cpu", words.count >= 9 else { return nil }
    let counts = words.dropFirst().prefix(8).map { UInt64($0) ?? 0 }
    // The fourth and the fifth count idle time.
    let busy = counts.enumerated().reduce(0) { $0 + ([3, 4].contains($1.offset) ? 0 : $1.element) }
    return busy * 1_000_000_000 / UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
  }

  /// Nanoseconds of processor time of the programs that this one started and that have ended.
  package static var childrenNanoseconds: UInt64 {
    var usage = rusage()
    #if canImport(Glibc)
      let code = getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
    #else
      let code = getrusage(RUSAGE_CHILDREN, &usage)
    #endif
    guard code == 0 else { return 0 }
    return [usage.ru_utime, usage.ru_stime].reduce(0) {
      $0 + UInt64($1.tv_sec) * 1_000_000_000 + UInt64($1.tv_usec) * 1000
    }
  }

  /// The memory that a process holds now, in bytes. Linux tells it.
  ///
  /// - Parameter process: its number; nil for this process.
  package static func residentBytes(of process: Int32? = nil) -> Int? {
    let folder = process.map { "/proc/\($0)" } ?? "/proc/self"
    let words = value(of: "VmRSS", in: folder + "/status")?.split(separator: " ")
    return words?.first.flatMap { Int($0) }.map { $0 * 1024 }
  }

  /// How long the disk takes to keep new bytes of a file, each time, in nanoseconds. The file is removed afterwards.
  ///
  /// - Parameters:
  ///   - folder: where the file lies.
  ///   - bytes: how many are written before each synchronization.
  /// - Throws: `fileUnwritable`.
  package static func synchronizationTimes(
    in folder: String, bytes: Int, count: Int
  ) throws(CodedError<SystemErrorCode>) -> [UInt64] {
    let suffix = SystemRandomness.bytes(8).map { String($0, radix: 16) }.joined()
    let path = "\(folder)/synchronized.\(suffix)"
    let file = try FileDescriptor.open(path, O_WRONLY | O_CREAT | O_EXCL, failure: .fileUnwritable)
    defer {
      file.close()
      unlink(path)
    }
    let content = [UInt8](repeating: 0x5A, count: bytes)
    var times: [UInt64] = []
    for _ in 0..<count {
      try file.writeAll(content)
      let start = SystemClock.monotonicNanoseconds()
      try file.synchronizeData()
      times.append(SystemClock.monotonicNanoseconds() - start)
    }
    return times
  }

  private static func text(of path: String) -> String? {
    (try? Files.read(path, bytesMax: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The value behind a name and a colon, in a file of such lines.
  private static func value(of name: String, in path: String) -> Substring? {
    guard let line = text(of: path)?.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else { return nil }
    let parts = line.split(separator: ":", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    let value = parts[1].drop { $0 == " " || $0 == "\t" }
    return value.isEmpty ? nil : value
  }
}
