import Counterfoil
import CounterfoilAPI
import CounterfoilTesting
import PaymentPrimitives
import StrictJSON
import Testing

@Suite struct `A vault of files` {
  private let request = CreateOrder.Request(product: "coins60", store: .appStore)

  private func record(_ id: RecordIdentifier) -> OrderRecord {
    OrderRecord(
      id: id, app: "shop", user: "anna", request: request, writtenAt: Timestamp(milliseconds: 1_800_000_000_000))
  }

  @Test(arguments: [
    "", "{", "[]", "{}", #"{"version":1,"kind":"order"}"#,
    #"{"version":1,"kind":"order","kind":"order"}"#,
    #"{"version":1,"kind":"order","record":"r","app":"shop","user":"anna","#
      + #""request":{"productId":"a","store":"appStore"},"writtenAt":"2027-01-15T07:00:00.000Z","state":"somewhere"}"#,
  ])
  func `keeps a file that it cannot read, and names it`(_ text: String) async throws {
    let disk = ScriptedDisk()
    disk.put("order-r.json", text)

    let contents = try await FileVault(disk.folder).load()

    #expect(contents.items == [])
    #expect(contents.unreadable == ["order-r.json"])
    #expect(disk.text("order-r.json") == text)
  }

  @Test func `does not read the format of a later version`() async throws {
    let disk = ScriptedDisk()
    let vault = FileVault(disk.folder)
    try await vault.write(.order(record("r")))
    let later = disk.text("order-r.json").split(separator: #""version":1"#).joined(separator: #""version":2"#)
    #expect(later.contains(#""version":2"#))
    disk.put("order-r.json", later)

    let contents = try await vault.load()

    #expect(contents.unreadable == ["order-r.json"])
  }

  @Test func `refuses an item in a file with another name`() async throws {
    let disk = ScriptedDisk()
    let vault = FileVault(disk.folder)
    try await vault.write(.order(record("r")))
    disk.put("order-s.json", disk.text("order-r.json"))

    let contents = try await vault.load()

    #expect(contents.items == [.order(record("r"))])
    #expect(contents.unreadable == ["order-s.json"])
  }

  @Test func `is not treated as empty if it cannot be read now`() async throws {
    let disk = ScriptedDisk()
    let vault = FileVault(disk.folder)
    try await vault.write(.order(record("r")))
    disk.refuseReads(true)

    await #expect(throws: VaultFailure.self) { try await vault.load() }
  }

  @Test func `is not a folder of other files`() async throws {
    let disk = ScriptedDisk()
    for number in 0...1000 { disk.put("\(number).json", "{}") }

    await #expect(throws: VaultFailure.self) { try await FileVault(disk.folder).load() }
  }

  @Test func `reports an error if it could not write or remove`() async throws {
    let disk = ScriptedDisk()
    disk.refuseWrites(true)
    let vault = FileVault(disk.folder)

    await #expect(throws: VaultFailure.self) { try await vault.write(.order(record("r"))) }
    await #expect(throws: VaultFailure.self) { try await vault.remove("order-r") }
  }

  @Test func `ignores files that are not its own`() async throws {
    let disk = ScriptedDisk()
    disk.put("order-r.json.tmp", "half")
    disk.put("README", "mine")

    let contents = try await FileVault(disk.folder).load()

    #expect(contents == VaultContents(items: []))
  }

  @Test func `returns what was written, in files with safe names`() async throws {
    let disk = ScriptedDisk()
    let vault = FileVault(disk.folder)
    try await vault.write(.order(record("../../etc/passwd")))

    let contents = try await vault.load()

    #expect(contents.items == [.order(record("../../etc/passwd"))])
    #expect(disk.names == ["order-..%2F..%2Fetc%2Fpasswd.json"])
    try await vault.remove(contents.items[0].name)
    #expect(disk.names == [])
  }

  @Test func `keeps every fact of a purchase through all its states, and what a later version added (1A.33)`()
    async throws
  {
    let world = ClientWorld()
    world.server.always("submit", .requestLost)
    world.launch()
    _ = world.tap()
    world.goOn { world.server.requests("submit").count == 1 }
    world.kill()
    for name in world.openRecords {
      let text = world.disk.text(name)
      world.disk.put(name, String(text.dropLast()) + #","addedLater":{"kept":true}}"#)
    }
    let vault = FileVault(world.disk.folder)
    let before = try await vault.load()
    #expect(before.items.count == 2 && before.unreadable == [])
    for item in before.items { #expect(try VaultItem(bytes: item.bytes) == item) }

    world.server.always("submit", nil)
    world.server.judge("1000", PaymentAnswer(transaction: "1000", verdict: .refused, reason: "why"))
    world.launch()
    world.goOn(for: .seconds(5))
    let order = world.openRecords.first { $0.hasPrefix("order-") } ?? ""
    #expect(world.disk.text(order).contains(#""state":"setAside""#), "it was written anew")
    #expect(world.disk.text(order).contains(#""addedLater":{"kept":true}"#))
    #expect(world.disk.text(order).contains(world.server.orders.first?.id.appAccountToken ?? "none"))
    #expect(world.disk.text("transaction-1000.json").contains(#""addedLater":{"kept":true}"#))
  }

  @Test func `remembers the token of a transaction after the store has lost it (S2)`() async throws {
    let world = ClientWorld()
    world.server.always("submit", .requestLost)
    world.store.loseTokens()
    world.launch()
    _ = world.tap()
    world.goOn { world.server.requests("submit").count == 1 }
    world.launch()
    world.goOn(for: .seconds(5))

    let token = world.store.sheets.first?.token.appAccountToken ?? "none"
    #expect(world.store.queue.first?.token == nil)
    #expect(world.disk.text("transaction-1000.json").contains(#""token":"\#(token)""#))
  }

  @Test func `shared with another app's client does not touch that app's items`() {
    let world = ClientWorld()
    world.disk.putRecord("r", user: "anna", state: #""paying""#, order: 1)
    world.configure = { $0.app = "other" }
    world.launch()
    world.goOn(for: .hours(1))

    #expect(world.openRecords == ["order-r.json"])
    #expect(world.server.requests("order").isEmpty)
  }

  @Test func `evicts the least important record, and never one that may still be paid here`() {
    let world = ClientWorld()
    for number in 0..<47 {
      world.disk.putRecord("r\(number)", user: "bert", state: #""paying""#, order: UInt64(number))
    }
    world.disk.putRecord(
      "old", user: "bert", state: #""failedOnce""#, order: 99, createdAt: "2026-12-01T07:00:00.000Z",
      expiresAt: "2026-12-08T07:00:00.000Z")
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }
    world.goOn(for: .minutes(1))

    #expect(tap.outcome != nil)
    #expect(!world.openRecords.contains("order-old.json"))
    #expect(world.openRecords.count == 47)
  }
}
