#if canImport(Security)
  public import Counterfoil
  import Foundation
  import Security

  /// The device's purchase records in the Keychain. They outlive the app's removal and stay on this device. They are
  /// readable from the first unlock after a restart, also in the background (X7).
  ///
  /// While the Keychain cannot be used, every call throws: then no payment starts, because every payment needs a
  /// record. An app and its extensions may use one access group at the same time.
  public struct KeychainVault: Vault {
    private let service: String
    private let accessGroup: String?

    /// A vault of Keychain items of the class of generic passwords.
    ///
    /// - Parameters:
    ///   - service: separates them from other items of the app.
    ///   - accessGroup: the group of apps that share the vault; nil for the app's own. A change of it leaves the old
    ///   items behind.
    public init(service: String = "counterfoil", accessGroup: String? = nil) {
      self.service = service
      self.accessGroup = accessGroup
    }

    /// Reads every item in the vault, and names the ones that this version cannot read.
    public func load() async throws(VaultFailure) -> VaultContents {
      var query = self.query
      query[kSecMatchLimit] = kSecMatchLimitAll
      query[kSecReturnAttributes] = true
      query[kSecReturnData] = true
      var result: CFTypeRef?
      let status = SecItemCopyMatching(query as CFDictionary, &result)
      if status == errSecItemNotFound { return VaultContents(items: []) }
      guard status == errSecSuccess, let found = result as? [[String: Any]] else { throw failure("read", status) }
      guard found.count <= AdapterLimits.vaultItemsMax else {
        throw VaultFailure("The Keychain holds \(found.count) items; this is not a vault.")
      }
      var contents = VaultContents(items: [])
      for attributes in found {
        guard let name = attributes[kSecAttrAccount as String] as? String else { continue }
        if let data = attributes[kSecValueData as String] as? Data, let item = try? VaultItem(bytes: Array(data)),
          item.name == name
        {
          contents.items.append(item)
        } else {
          contents.unreadable.append(name)
        }
      }
      return VaultContents(items: contents.items, unreadable: contents.unreadable)
    }

    /// Writes an item, replacing the one of the same name. The Keychain makes each change completely or not at all.
    public func write(_ item: VaultItem) async throws(VaultFailure) {
      let value = Self.value(of: item)
      let query = query(of: item.name)
      var status = SecItemUpdate(query as CFDictionary, value as CFDictionary)
      if status == errSecItemNotFound {
        let new = query.merging(value) { _, new in new }
        status = SecItemAdd(new as CFDictionary, nil)
        // An extension of the app may have added it meanwhile.
        if status == errSecDuplicateItem { status = SecItemUpdate(query as CFDictionary, value as CFDictionary) }
      }
      guard status == errSecSuccess else { throw failure("write", status) }
    }

    /// Reads one item.
    public func read(_ name: String) async throws(VaultFailure) -> VaultItem? {
      var query = query(of: name)
      query[kSecMatchLimit] = kSecMatchLimitOne
      query[kSecReturnData] = true
      var result: CFTypeRef?
      let status = SecItemCopyMatching(query as CFDictionary, &result)
      if status == errSecItemNotFound { return nil }
      guard status == errSecSuccess, let data = result as? Data else { throw failure("read", status) }
      let item = try VaultItem(bytes: Array(data))
      guard item.name == name else { throw VaultFailure("The Keychain holds another item under this name.") }
      return item
    }

    /// Writes an item in place of the one of the same name, in one step of the Keychain.
    public func replace(_ item: VaultItem) async throws(VaultFailure) -> Bool {
      let status = SecItemUpdate(query(of: item.name) as CFDictionary, Self.value(of: item) as CFDictionary)
      if status == errSecItemNotFound { return false }
      guard status == errSecSuccess else { throw failure("write", status) }
      return true
    }

    private static func value(of item: VaultItem) -> [CFString: Any] {
      [kSecValueData: Data(item.bytes), kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly]
    }

    /// Removes an item; does nothing if there is none of that name.
    public func remove(_ name: String) async throws(VaultFailure) {
      let status = SecItemDelete(query(of: name) as CFDictionary)
      guard status == errSecSuccess || status == errSecItemNotFound else { throw failure("remove", status) }
    }

    private var query: [CFString: Any] {
      var query: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrSynchronizable: false,
        kSecUseDataProtectionKeychain: true,
      ]
      if let accessGroup { query[kSecAttrAccessGroup] = accessGroup }
      return query
    }

    private func query(of name: String) -> [CFString: Any] {
      var query = self.query
      query[kSecAttrAccount] = name
      return query
    }

    private func failure(_ what: String, _ status: OSStatus) -> VaultFailure {
      status == errSecInteractionNotAllowed
        ? VaultFailure("The Keychain cannot \(what) before the device is unlocked.")
        : VaultFailure("The Keychain could not \(what): OSStatus \(status).")
    }
  }
#endif
