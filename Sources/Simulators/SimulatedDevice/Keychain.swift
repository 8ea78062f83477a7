import Synchronization

/// A device's Keychain: items outlive the app (rule KEY-1).
package final class Keychain: Sendable {
  /// The name of a generic password item.
  package struct Name: Hashable, Comparable, Sendable {
    /// `kSecAttrService`
    package let service: String
    /// `kSecAttrAccount`
    package let account: String
    /// `kSecAttrAccessGroup`; empty: the app's own group.
    package let group: String

    package init(service: String, account: String, group: String) {
      self.service = service
      self.account = account
      self.group = group
    }

    package static func < (a: Name, b: Name) -> Bool {
      (a.service, a.account, a.group) < (b.service, b.account, b.group)
    }
  }

  package struct Item: Hashable, Sendable {
    package var data: [UInt8]
    /// When the item can be read, and whether it may leave the device: a `kSecAttrAccessible` value.
    package var accessibility: String

    package init(data: [UInt8], accessibility: String) {
      self.data = data
      self.accessibility = accessibility
    }
  }

  private struct State {
    var items: [Name: Item] = [:]
    var isLocked = false
    var failures = 0
    var writes = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// Whether the device has not been unlocked since it was switched on: no reads and no writes succeed (rule KEY-2).
  package var isLocked: Bool {
    get { state.withLock { $0.isLocked } }
    set { state.withLock { $0.isLocked = newValue } }
  }

  /// Makes the next writes fail (rule KEY-3).
  package func failWrites(_ count: Int) { state.withLock { $0.failures = count } }

  package var writes: Int { state.withLock { $0.writes } }

  package var items: [Name: Item] { state.withLock { $0.items } }

  /// Changes items; it changes nothing when `isLocked` is set or a failure is due.
  ///
  /// - Returns: nil when the write failed; otherwise the result of `body`.
  package func write<Answer: Sendable>(_ body: (inout [Name: Item]) -> Answer) -> Answer? {
    state.withLock { state in
      guard !state.isLocked else { return nil }
      if state.failures > 0 {
        state.failures -= 1
        return nil
      }
      state.writes += 1
      return body(&state.items)
    }
  }

  /// Copies the items to the Keychain of a new device, as a restore from this device's backup does. Items for this
  /// device only are not copied (rule KEY-4).
  package func restored(into other: Keychain, thisDeviceOnly: Set<String>) {
    let items = self.items.filter { !thisDeviceOnly.contains($0.value.accessibility) }
    other.state.withLock { $0.items.merge(items) { _, new in new } }
  }
}

/// The app's files: removed with the app (rule DEV-2).
package final class DeviceFiles: Sendable {
  private let contents = Mutex<[String: [UInt8]]>([:])

  /// The bytes of a file; nil removes it.
  package subscript(_ name: String) -> [UInt8]? {
    get { contents.withLock { $0[name] } }
    set { contents.withLock { $0[name] = newValue } }
  }

  package var names: [String] { contents.withLock { $0.keys.sorted() } }

  func removeAll() { contents.withLock { $0 = [:] } }
}
