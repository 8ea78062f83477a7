import Foundation

/// Runs blocking work on its own thread: Swift's pool has as many threads as cores, and servers under test need them.
package func blocking<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: work()) }
  }
}
