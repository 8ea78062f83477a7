import Counterfoil
import Foundation

// The app around the snippets: they are compiled against it.

/// The app's own backend, which knows its users.
struct Backend: Sendable {
  /// A token by which the backend identifies a user; a new one if the last was refused.
  func paymentToken(for user: UserIdentifier, fresh: Bool) async throws -> String { "token of \(user)" }
}

/// The app's screens.
@MainActor final class Shop {
  private(set) var shown: [String] = []
  private(set) var refreshes = 0
  private(set) var unlocked: [EntitlementName: Timestamp?] = [:]
  func show(_ message: String) { shown.append(message) }
  func unlock(_ entitlement: EntitlementName, until end: Timestamp?) { unlocked[entitlement] = .some(end) }
  func refreshBalance() { refreshes += 1 }
  func showSupport(code: String) { shown.append(code) }
}

/// The Keychain items of an app's earlier, hand-written code.
final class OldKeychain {
  var strings: [String: String] = [:]
  var receiptInfos: [[String: String]] = []
  func removeAll() {
    strings = [:]
    receiptInfos = []
  }
}

/// A database of rows that an app already has.
actor Database {
  private var rows: [String: [UInt8]] = [:]
  func all() throws -> [String: [UInt8]] { rows }
  func put(_ name: String, _ bytes: [UInt8]) throws { rows[name] = bytes }
  func delete(_ name: String) throws { rows[name] = nil }
}
