import Foundation
import SystemPlatform
import TestPlatform

/// Runs tasks on threads outside Swift's pool, for the blocking parts of a test.
final class OwnThreads: TaskExecutor {
  private let queue = DispatchQueue(label: "tests")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// Prevents descriptors with that number or above in this process; false if the limit cannot be set.
func limitOpenFiles(to count: Int) -> Bool {
  var limit = rlimit(rlim_cur: rlim_t(count), rlim_max: rlim_t(count))
  #if canImport(Glibc)
    return setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
  #else
    return setrlimit(RLIMIT_NOFILE, &limit) == 0
  #endif
}

/// The number that the next descriptor will have.
func lowestFreeDescriptor() -> Int {
  let copy = open("/dev/null", O_RDONLY)
  close(copy)
  return Int(copy)
}

/// Takes all free descriptors below that number.
func takeDescriptors(upTo number: Int) -> [Int32] {
  var taken: [Int32] = []
  while true {
    let copy = open("/dev/null", O_RDONLY)
    if copy < 0 || Int(copy) >= number {
      if copy >= 0 { close(copy) }
      return taken
    }
    taken.append(copy)
  }
}

/// The mapped memory of this process in bytes; nil if the system does not report it.
func mappedBytes() -> Int? {
  guard let text = try? Files.read("/proc/self/statm", bytesMax: 4096) else { return nil }
  return String(decoding: text, as: UTF8.self).split(separator: " ").first.flatMap { Int($0) }
    .map { $0 * 4096 }
}

/// Limits the mapped memory of this process; false if the limit cannot be set.
func limitMappedBytes(to count: Int) -> Bool {
  var limit = rlimit(rlim_cur: rlim_t(count), rlim_max: rlim_t(count))
  #if canImport(Glibc)
    return setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0
  #else
    return setrlimit(RLIMIT_AS, &limit) == 0
  #endif
}
