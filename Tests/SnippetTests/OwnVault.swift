import Counterfoil
import Testing

// snippet: own-vault
struct DatabaseVault: Vault {
  let database: Database

  func load() async throws(VaultFailure) -> VaultContents {
    do {
      var contents = VaultContents(items: [])
      for (name, bytes) in try await database.all() {
        guard let item = try? VaultItem(bytes: bytes) else {
          contents.unreadable.append(name)  // never deleted: it may be the last record of a user's money
          continue
        }
        contents.items.append(item)
      }
      return VaultContents(items: contents.items, unreadable: contents.unreadable)
    } catch { throw VaultFailure("The database cannot be read: \(error)") }
  }

  func write(_ item: VaultItem) async throws(VaultFailure) {
    do { try await database.put(item.name, item.bytes) } catch { throw VaultFailure("Not written: \(error)") }
  }

  func remove(_ name: String) async throws(VaultFailure) {
    do { try await database.delete(name) } catch { throw VaultFailure("Not removed: \(error)") }
  }
}
// snippet: end

@Suite struct `The snippet of a vault` {
  @Test func `names the items that it cannot read`() async throws {
    let database = Database()
    try await database.put("order-x", [1, 2, 3])
    let contents = try await DatabaseVault(database: database).load()
    #expect(contents.items.isEmpty && contents.unreadable == ["order-x"])
  }
}
