import Foundation
import SystemPlatform

/// Runs blocking work on a thread of its own: Swift's pool has as many threads as cores, and servers under test need
/// them.
func blocking<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: work()) }
  }
}

/// Runs tasks on threads beside Swift's pool, for what blocks and yet belongs to a test.
final class OwnThreads: TaskExecutor {
  private let queue = DispatchQueue(label: "tests")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// Lets this process open no descriptor with a number of that size or above; false where that cannot be set.
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

/// How much memory this process has mapped; nil where the system does not tell.
func mappedBytes() -> Int? {
  guard let text = try? Files.read("/proc/self/statm", bytesMax: 4096) else { return nil }
  return String(decoding: text, as: UTF8.self).split(separator: " ").first.flatMap { Int($0) }
    .map { $0 * 4096 }
}

/// Lets this process map no more than that; false where that cannot be set.
func limitMappedBytes(to count: Int) -> Bool {
  var limit = rlimit(rlim_cur: rlim_t(count), rlim_max: rlim_t(count))
  #if canImport(Glibc)
    return setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0
  #else
    return setrlimit(RLIMIT_AS, &limit) == 0
  #endif
}
