import HTTPMessages
import PaymentPrimitives

/// Where the device keeps its counterfoils: the Keychain, a folder, memory in a test.
///
/// One item is written as a whole or not at all. What a call has written when it returns survives a power cut; a
/// call that was cut off may have written or not. It survives the app's removal where the system allows that.
public protocol Vault: Sendable {
  /// Everything that the vault holds.
  ///
  /// - Throws: `VaultFailure` when that cannot be known now (a locked device). An empty vault is no failure.
  func load() async throws(VaultFailure) -> VaultContents

  /// Writes an item in the place of the one of the same name; durable when it returns.
  ///
  /// - Throws: `VaultFailure` when it cannot be written; the item may then be there in its old or its new form.
  func write(_ item: VaultItem) async throws(VaultFailure)

  /// Takes an item out; nothing happens when there is none of that name.
  ///
  /// - Throws: `VaultFailure` when it cannot be removed.
  func remove(_ name: String) async throws(VaultFailure)
}

/// What a vault holds.
public struct VaultContents: Hashable, Sendable {
  /// The items that could be read, sorted by name.
  public var items: [VaultItem]
  /// Names of items that this version cannot read; they stay where they are.
  public var unreadable: [String]

  /// What was read, and what could not be.
  public init(items: [VaultItem], unreadable: [String] = []) {
    self.items = items.sorted { $0.name < $1.name }
    self.unreadable = unreadable.sorted()
  }
}

/// One thing in a vault.
public enum VaultItem: Hashable, Sendable {
  /// An order's record.
  case order(OrderRecord)
  /// A transaction's evidence.
  case transaction(TransactionRecord)
  /// What the app's earlier code had stored.
  case earlier(KeptEarlierRecord)
  /// The transactions that may be finished.
  case cleared(ClearedTransactions)

  /// The item's name: letters, digits and `-._~%` only, at most 255 bytes, fit for a file and for a Keychain account.
  public var name: String {
    switch self {
    case .order(let record): Self.name(of: record.id)
    case .transaction(let record): Self.name(of: record.key)
    case .earlier(let kept): "earlier-" + RequestTarget.encode(kept.id.text)
    case .cleared(let cleared): "cleared-" + RequestTarget.encode(cleared.app.text)
    }
  }

  /// The name of an order's record.
  static func name(of record: RecordIdentifier) -> String {
    "order-" + RequestTarget.encode(record.text)
  }

  /// The name of a transaction's record.
  static func name(of key: TransactionKey) -> String {
    "transaction-" + RequestTarget.encode(key.text)
  }
}

/// Why a vault did not do what it was asked.
public struct VaultFailure: Error, Hashable, Sendable {
  /// The vault's own words, for a developer; nothing of what it holds.
  public let explanation: String

  /// A failure in the vault's own words.
  public init(_ explanation: String) { self.explanation = explanation }
}
