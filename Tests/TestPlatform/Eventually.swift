import PaymentPrimitives
import SystemPlatform

/// Polls until the condition is true, every 10 ms; false if it never becomes true.
///
/// - Parameter tries: how often it looks at most.
package func eventually(tries: Int = 6000, _ condition: () async throws -> Bool) async throws -> Bool {
  for _ in 0..<tries {
    if try await condition() { return true }
    try await Dependencies.system.sleep(.milliseconds(10))
  }
  return false
}
