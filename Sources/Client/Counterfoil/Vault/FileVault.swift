/// A folder of small files, opened by the program: the only part of the operating system that a `FileVault` needs.
///
/// The implementation must ensure that the folder belongs to this user alone (0700, files 0600). A written name must
/// survive a power cut: temporary file, write, fsync, rename over the old one, fsync of the folder.
public struct VaultFolder: Sendable {
  /// The names of the files in it; empty when there is no folder yet.
  public var list: @Sendable () async throws -> [String]
  /// The bytes of a file; nil if there is no such file. Throws if it is longer than `bytesMax`.
  public var read: @Sendable (_ name: String, _ bytesMax: Int) async throws -> [UInt8]?
  /// Creates or replaces a file completely or not at all; durable when it returns.
  public var replace: @Sendable (_ name: String, _ bytes: [UInt8]) async throws -> Void
  /// Removes a file; does nothing if there is none.
  public var remove: @Sendable (_ name: String) async throws -> Void

  /// A folder with its four operations.
  public init(
    list: @escaping @Sendable () async throws -> [String],
    read: @escaping @Sendable (_ name: String, _ bytesMax: Int) async throws -> [UInt8]?,
    replace: @escaping @Sendable (_ name: String, _ bytes: [UInt8]) async throws -> Void,
    remove: @escaping @Sendable (_ name: String) async throws -> Void
  ) {
    self.list = list
    self.read = read
    self.replace = replace
    self.remove = remove
  }
}

/// A vault of one file per item, for Linux, Android, tools and tests. (On Apple's systems use the Keychain: it
/// outlives the app.)
///
/// A file that cannot be read as an item stays and is named in `VaultContents.unreadable`: it may be the only record
/// of a payment.
public struct FileVault: Vault {
  private static let suffix = ".json"
  private let folder: VaultFolder

  /// A vault in a folder.
  public init(_ folder: VaultFolder) { self.folder = folder }

  /// Reads every item in the folder, and names the files that are no readable items.
  public func load() async throws(VaultFailure) -> VaultContents {
    var items: [VaultItem] = []
    var unreadable: [String] = []
    let names = try await attempt("list") { try await folder.list() }
      .filter { $0.hasSuffix(Self.suffix) }.sorted()
    guard names.count <= VaultLimits.namesMax else {
      throw VaultFailure("The folder holds \(names.count) files; this is not a vault.")
    }
    for name in names {
      let bytes: [UInt8]?
      do {
        bytes = try await folder.read(name, VaultLimits.itemBytesMax)
      } catch is CancellationError {
        throw VaultFailure("Reading was cancelled.")
      } catch {
        // A file that cannot be read now must not count as absent.
        throw VaultFailure("A file cannot be read: \(error)")
      }
      guard let bytes else { continue }
      if let item = try? VaultItem(bytes: bytes), item.name + Self.suffix == name {
        items.append(item)
      } else {
        unreadable.append(name)
      }
    }
    return VaultContents(items: items, unreadable: unreadable)
  }

  /// Reads the file of an item.
  public func read(_ name: String) async throws(VaultFailure) -> VaultItem? {
    let file = name + Self.suffix
    guard let bytes = try await attempt("read", { try await folder.read(file, VaultLimits.itemBytesMax) }) else {
      return nil
    }
    let item = try VaultItem(bytes: bytes)
    guard item.name == name else { throw VaultFailure("A file has another item's name.") }
    return item
  }

  /// Writes an item as a file of its name.
  public func write(_ item: VaultItem) async throws(VaultFailure) {
    let name = item.name + Self.suffix
    let bytes = item.bytes
    try await attempt("write") { try await folder.replace(name, bytes) }
  }

  /// Removes the file of an item.
  public func remove(_ name: String) async throws(VaultFailure) {
    try await attempt("remove") { try await folder.remove(name + Self.suffix) }
  }

  private func attempt<Value>(
    _ what: String, _ work: () async throws -> Value
  ) async throws(VaultFailure) -> Value {
    do {
      return try await work()
    } catch {
      throw VaultFailure("The folder could not \(what): \(error)")
    }
  }
}
