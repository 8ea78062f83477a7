import HTTPMessages
import PaymentPrimitives

/// The device's storage for its purchase records: the Keychain, a folder, memory in a test.
///
/// One item is written completely or not at all. When a write returns, its data survives a power cut; an interrupted
/// call may have written or not. The data survives the app's removal if the system allows that.
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
}

/// The contents of a vault.
public struct VaultContents: Hashable, Sendable {
  /// The items that could be read, sorted by name.
  public var items: [VaultItem]
  /// Names of items that this version cannot read; they stay in the vault.
  public var unreadable: [String]

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
    case .cleared(let cleared): "cleared-" + RequestTarget.encode(cleared.app.text)
    case .entitlements(let kept): "entitlements-" + RequestTarget.encode(kept.app.text)
    }
  }

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
