import HTTPMessages
import PaymentPrimitives

/// The device's storage for its purchase records: the Keychain, a folder, memory in a test.
///
/// One item is written completely or not at all. When a write returns, its data survives a power cut; an interrupted
/// call may have written or not. The data survives the app's removal if the system allows that.
///
/// Several processes may use one vault, such as an app and its extension: the client reads an item again before it
/// changes it, and never writes a removed one.
public protocol Vault: Sendable {
  /// Reads everything that the vault holds.
  ///
  /// - Throws: `VaultFailure` if it cannot be read now (a locked device). An empty vault is no failure.
  func load() async throws(VaultFailure) -> VaultContents

  /// Writes an item, replacing the one of the same name; durable when it returns.
  ///
  /// - Throws: `VaultFailure` if it cannot be written; the old or the new form of the item may then be there.
  func write(_ item: VaultItem) async throws(VaultFailure)

  /// Removes an item; does nothing if there is none of that name.
  ///
  /// - Throws: `VaultFailure` if it cannot be removed.
  func remove(_ name: String) async throws(VaultFailure)

  /// Reads one item.
  ///
  /// - Returns: nil if there is none of that name.
  /// - Throws: `VaultFailure` if it cannot be read now, or this version cannot read it.
  func read(_ name: String) async throws(VaultFailure) -> VaultItem?

  /// Writes an item like `write`, but only in place of one of the same name. A vault that several processes use does
  /// this in one step: what another process has removed must not come back.
  ///
  /// - Returns: false if there was none; then nothing was written.
  /// - Throws: `VaultFailure` if it cannot be written.
  func replace(_ item: VaultItem) async throws(VaultFailure) -> Bool
}

extension Vault {
  /// Finds the item among all.
  public func read(_ name: String) async throws(VaultFailure) -> VaultItem? {
    let contents = try await load()
    if let item = contents.items.first(where: { $0.name == name }) { return item }
    guard !contents.cannotRead(name) else { throw VaultFailure("The item cannot be read.") }
    return nil
  }

  /// Reads the item, then writes it: for a vault that one process uses.
  public func replace(_ item: VaultItem) async throws(VaultFailure) -> Bool {
    guard try await read(item.name) != nil else { return false }
    try await write(item)
    return true
  }
}

/// The contents of a vault.
public struct VaultContents: Hashable, Sendable {
  /// The items that could be read, sorted by name.
  public var items: [VaultItem]
  /// Names of items that this version cannot read; they stay in the vault.
  public var unreadable: [String]

  /// Whether the vault has an item of that name that this version cannot read. Some vaults add an ending to a name.
  func cannotRead(_ name: String) -> Bool { unreadable.contains { $0 == name || $0.hasPrefix(name + ".") } }

  /// The readable items and the names of the others.
  public init(items: [VaultItem], unreadable: [String] = []) {
    self.items = items.sorted { $0.name < $1.name }
    self.unreadable = unreadable.sorted()
  }
}

/// One item of a vault.
public enum VaultItem: Hashable, Sendable {
  /// An order's record.
  case order(OrderRecord)
  /// A transaction's evidence.
  case transaction(TransactionRecord)
  /// A record that the app's earlier code stored.
  case earlier(KeptEarlierRecord)
  /// The transactions that may be finished.
  case cleared(ClearedTransactions)
  /// The server's last answer about entitlements.
  case entitlements(KeptEntitlements)

  /// The item's name: letters, digits and `-._~%` only, at most 255 bytes, valid as a file name and as a Keychain
  /// account.
  public var name: String {
    switch self {
    case .order(let record): Self.name(of: record.id)
    case .transaction(let record): Self.name(of: record.key)
    case .earlier(let kept): "earlier-" + RequestTarget.encode(kept.id.text)
    case .cleared(let cleared): Self.cleared(of: cleared.app)
    case .entitlements(let kept): Self.entitlements(of: kept.app)
    }
  }

  static func cleared(of app: AppIdentifier) -> String { "cleared-" + RequestTarget.encode(app.text) }

  static func entitlements(of app: AppIdentifier) -> String { "entitlements-" + RequestTarget.encode(app.text) }

  static func name(of record: RecordIdentifier) -> String {
    "order-" + RequestTarget.encode(record.text)
  }

  static func name(of key: TransactionKey) -> String {
    "transaction-" + RequestTarget.encode(key.text)
  }
}

/// Why a vault operation failed.
public struct VaultFailure: Error, Hashable, Sendable {
  /// The vault's own explanation, for a developer; it contains no stored data.
  public let explanation: String

  /// A failure with the vault's own explanation.
  public init(_ explanation: String) { self.explanation = explanation }
}
