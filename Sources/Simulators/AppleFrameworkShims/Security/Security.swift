import Foundation
import SimulatedDevice

// Stand-ins for the parts of Apple's Security framework that the Keychain vault uses, over the device of the calling
// process. Core Foundation types are plain Swift types here, so dictionaries need no bridge.

public typealias OSStatus = Int32
public typealias CFString = String
public typealias CFTypeRef = Any
public typealias CFDictionary = [String: Any]

public let errSecSuccess: OSStatus = 0
public let errSecParam: OSStatus = -50
public let errSecInternalError: OSStatus = -26276
public let errSecDuplicateItem: OSStatus = -25299
public let errSecItemNotFound: OSStatus = -25300
public let errSecInteractionNotAllowed: OSStatus = -25308

public let kSecClass: CFString = "class"
public let kSecClassGenericPassword: CFString = "genp"
public let kSecAttrService: CFString = "svce"
public let kSecAttrAccount: CFString = "acct"
public let kSecAttrAccessGroup: CFString = "agrp"
public let kSecAttrAccessible: CFString = "pdmn"
public let kSecAttrAccessibleAfterFirstUnlock: CFString = "ck"
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku"
public let kSecAttrSynchronizable: CFString = "sync"
public let kSecUseDataProtectionKeychain: CFString = "nleg"
public let kSecValueData: CFString = "v_Data"
public let kSecReturnData: CFString = "r_Data"
public let kSecReturnAttributes: CFString = "r_Attributes"
public let kSecMatchLimit: CFString = "m_Limit"
public let kSecMatchLimitOne: CFString = "m_LimitOne"
public let kSecMatchLimitAll: CFString = "m_LimitAll"

/// Adds an item; `errSecDuplicateItem` when an item of that name exists.
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
  guard let name = name(attributes), let data = attributes[kSecValueData] as? Data else { return errSecParam }
  let item = Keychain.Item(
    data: Array(data), accessibility: attributes[kSecAttrAccessible] as? String ?? "ak")
  return write { items in
    guard items[name] == nil else { return errSecDuplicateItem }
    items[name] = item
    return errSecSuccess
  }
}

/// Changes the items that match a query.
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
  let names = matches(query)
  let data = (attributesToUpdate[kSecValueData] as? Data).map { Array($0) }
  let accessibility = attributesToUpdate[kSecAttrAccessible] as? String
  return write { items in
    let found = items.keys.filter(names)
    guard !found.isEmpty else { return errSecItemNotFound }
    for name in found {
      if let data { items[name]?.data = data }
      if let accessibility { items[name]?.accessibility = accessibility }
    }
    return errSecSuccess
  }
}

/// Removes the items that match a query.
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
  let names = matches(query)
  return write { items in
    let found = items.keys.filter(names)
    guard !found.isEmpty else { return errSecItemNotFound }
    for name in found { items[name] = nil }
    return errSecSuccess
  }
}

/// Finds the items that match a query.
public func SecItemCopyMatching(
  _ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
  let keychain = theKeychain()
  // Rule KEY-2.
  guard !keychain.isLocked else { return errSecInteractionNotAllowed }
  let names = matches(query)
  let found = keychain.items.filter { names($0.key) }.sorted { $0.key < $1.key }
  guard !found.isEmpty else { return errSecItemNotFound }
  let wantsData = query[kSecReturnData] as? Bool == true
  let wantsAttributes = query[kSecReturnAttributes] as? Bool == true
  let answers: [CFTypeRef] = found.map { name, item in
    guard wantsAttributes else { return Data(item.data) }
    var attributes: [String: Any] = [
      kSecAttrService: name.service, kSecAttrAccount: name.account, kSecAttrAccessible: item.accessibility,
    ]
    if !name.group.isEmpty { attributes[kSecAttrAccessGroup] = name.group }
    if wantsData { attributes[kSecValueData] = Data(item.data) }
    return attributes
  }
  result?.pointee = query[kSecMatchLimit] as? String == kSecMatchLimitAll ? answers : answers[0]
  return errSecSuccess
}

private func theKeychain() -> Keychain {
  guard let run = AppRun.current else {
    preconditionFailure("the Keychain was asked outside of `AppRun.start`")
  }
  return run.device.keychain
}

private func write(_ body: (inout [Keychain.Name: Keychain.Item]) -> OSStatus) -> OSStatus {
  let keychain = theKeychain()
  guard let status = keychain.write(body) else {
    return keychain.isLocked ? errSecInteractionNotAllowed : errSecInternalError
  }
  return status
}

private func name(_ attributes: CFDictionary) -> Keychain.Name? {
  guard attributes[kSecClass] as? String == kSecClassGenericPassword,
    let service = attributes[kSecAttrService] as? String, let account = attributes[kSecAttrAccount] as? String
  else { return nil }
  return Keychain.Name(
    service: service, account: account, group: attributes[kSecAttrAccessGroup] as? String ?? "")
}

private func matches(_ query: CFDictionary) -> (Keychain.Name) -> Bool {
  let service = query[kSecAttrService] as? String
  let account = query[kSecAttrAccount] as? String
  let group = query[kSecAttrAccessGroup] as? String
  return { name in
    (service ?? name.service, account ?? name.account, group ?? name.group)
      == (name.service, name.account, name.group)
  }
}
