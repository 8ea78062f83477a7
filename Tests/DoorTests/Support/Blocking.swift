import Foundation

/// Runs blocking work on a thread of its own: Swift's pool has as many threads as cores, and servers under test need them.
func blocking<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: work()) }
  }
}
