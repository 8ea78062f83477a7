import PaymentEngine
import PaymentPrimitives

/// What a server tells its service manager: that it is ready, reloads, stops, and still works (`sd_notify(3)`).
struct ServiceNotification: Sendable {
  private let platform: Platform

  init(_ platform: Platform) { self.platform = platform }

  /// It listens. After a restored backup it is not ready for callers yet (`/readyz`), but it has started.
  func ready(at address: String) {
    platform.tellServiceManager("READY=1\nMAINPID=\(platform.processIdentifier)\nSTATUS=listens on \(address)")
  }

  func reloading() {
    platform.tellServiceManager("RELOADING=1\nMONOTONIC_USEC=\(platform.monotonicNanoseconds() / 1000)")
  }

  func reloaded(isGood: Bool) {
    let word = isGood ? "taken" : "refused: see the log"
    platform.tellServiceManager("READY=1\nSTATUS=the new configuration was \(word)")
  }

  func stopping() { platform.tellServiceManager("STOPPING=1") }

  /// Says twice in each time that the manager allows that the server works. It first waits for the end of a commit: a
  /// server whose writer is stuck is restarted. A commit that fails is no reason, because a full disk heals by itself.
  func watch(_ engine: PaymentEngine) async {
    guard let allowed = platform.environment("WATCHDOG_USEC").flatMap({ Int64($0) }), allowed > 0 else { return }
    let pause = TimeSpan.milliseconds(max(1, allowed / 2000))
    repeat {
      await engine.tryCommit()
      platform.tellServiceManager("WATCHDOG=1")
    } while (try? await platform.dependencies.sleep(pause)) != nil
  }
}
