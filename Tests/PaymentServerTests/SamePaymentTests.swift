import Foundation
import HTTPMessages
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import SQLiteDatabase
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

/// The databases that the HTTP API is tested with.
enum FixtureDatabase: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case reference
  case sqlite

  var testDescription: String { rawValue }

  /// Runs a test with a new database of this kind, then deletes its files.
  func withFront(_ body: (ServerFixture) async throws -> Void) async throws {
    guard self == .sqlite else { return try await body(ServerFixture.open()) }
    let clock = StandingClock()
    let dependencies = Dependencies(
      now: { clock.now }, randomBytes: { count in (0..<count).map { UInt8(truncatingIfNeeded: $0) } },
      sleep: { _ in })
    try await withSQLite(dependencies) { database in try await body(ServerFixture.open { $0.database = database }) }
  }

  /// Runs a test with a new SQLite database in memory.
  func withSQLite(_ dependencies: Dependencies, _ body: (SQLiteDatabase) async throws -> Void) async throws {
    let memory = URL(fileURLWithPath: "/dev/shm")
    let files = FileManager.default
    let place = files.isWritableFile(atPath: memory.path) ? memory : files.temporaryDirectory
    let directory = place.appendingPathComponent("counterfoil-face-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let database = try await SQLiteDatabase.open(
      SQLiteSettings(path: directory.appendingPathComponent("face.sqlite").path, profile: .simulated, holder: "tests"),
      dependencies: dependencies, writer: ThreadExecutor(), readers: [ThreadExecutor(), ThreadExecutor()])
    do {
      try await body(database)
    } catch {
      await database.close()
      throw error
    }
    await database.close()
  }
}

@Suite struct `The same payment sent 200 times at once over HTTP` {
  /// 200 submissions: by alice, by bob, without a user, and as one of four notifications of the store.
  private func flood(_ front: ServerFixture, _ evidence: String) async -> [Answer] {
    let signer = TestAppStoreSigner(at: front.now())
    let (alice, bob) = (front.token(), front.token(of: "bob"))
    return await withTaskGroup(of: Answer.self) { group in
      for number in 0..<200 {
        group.addTask {
          switch number % 4 {
          case 0: return await front.submit(evidence, as: alice)
          case 1: return await front.submit(evidence, as: bob)
          case 2: return await front.submit(evidence, as: front.keys.publishable)
          default:
            let notification = signer.notification("n\(number % 16)", about: evidence)
            return await front.ask("POST", "/notifications/app-store", json: notification)
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  private func told(_ answer: Answer) -> JSONValue { answer["payments"] == nil ? answer.json : answer.payment }

  @Test(arguments: FixtureDatabase.allCases)
  func `on one order is one grant, one delivery, and one answer that says it was first`(
    _ kind: FixtureDatabase
  ) async throws {
    try await kind.withFront { (front) async throws in
      let order = await front.order()
      let answers = await flood(front, TestAppStoreSigner().transaction("1001", token: order))
      #expect(answers.count == 200)
      #expect(answers.allSatisfy { $0.status == 200 })
      #expect(answers.allSatisfy { told($0)["transactionId"]?.string == "1001" })
      #expect(answers.count { told($0)["firstSeen"]?.bool == true } == 1)
      let orders = Set(answers.compactMap { told($0)["orderId"]?.string })
      #expect(orders == [order])
      let verdicts = Set(answers.compactMap { told($0)["verdict"]?.string })
      #expect(verdicts == ["fulfilled", "fulfilledForAnother"])
      #expect(await front.coins(of: "alice") == 100)
      #expect(await front.coins(of: "bob") == 0)
      #expect(await front.deliveries().count == 1)
      #expect(try await front.violations() == [])
    }
  }

  @Test(arguments: FixtureDatabase.allCases)
  func `on no order is one grant to one user`(_ kind: FixtureDatabase) async throws {
    try await kind.withFront { (front) async throws in
      let answers = await flood(front, TestAppStoreSigner().transaction("1001"))
      #expect(answers.allSatisfy { $0.status == 200 && told($0)["transactionId"]?.string == "1001" })
      #expect(answers.count { told($0)["firstSeen"]?.bool == true } == 1)
      let coins = [await front.coins(of: "alice"), await front.coins(of: "bob")]
      #expect(coins.contains(100) && coins.contains(0))
      #expect(Set(answers.compactMap { told($0)["orderId"]?.string }).count == 1)
      #expect(await front.deliveries().count == 1)
      #expect(try await front.violations() == [])
    }
  }

  @Test(arguments: FixtureDatabase.allCases)
  func `again, after the grant, changes nothing (1B.17)`(_ kind: FixtureDatabase) async throws {
    try await kind.withFront { (front) async throws in
      let order = await front.order()
      let evidence = TestAppStoreSigner().transaction("1001", token: order)
      let first = await front.submit(evidence, as: front.token())
      let second = await front.submit(evidence, as: front.token())
      #expect(first.payment["firstSeen"]?.bool == true)
      #expect(second.payment["firstSeen"]?.bool == false)
      #expect(second.payment["verdict"] == first.payment["verdict"])
      #expect(second.payment["orderId"] == first.payment["orderId"])
      #expect(await front.coins() == 100)
      #expect(await front.deliveries().count == 1)
    }
  }

  @Test(arguments: FixtureDatabase.allCases)
  func `buying one coin with the token of an order for 1,000 grants one coin`(_ kind: FixtureDatabase) async throws {
    try await kind.withFront { (front) async throws in
      let order = await front.order("coins.1000")
      let evidence = TestAppStoreSigner().transaction("1001", of: "com.example.coin", token: order)
      let answer = await front.submit(
        evidence, as: front.token(),
        [("productId", "com.example.coins1000"), ("orderIds", .array([.string(order)])), ("quantity", .integer(10))])
      #expect(answer.payment["verdict"]?.string == "fulfilled")
      #expect(answer.payment["orderId"]?.string != order)
      #expect(await front.coins() == 1)
      let left = await front.ask("GET", "/v1/orders/" + order, as: front.token())
      #expect(left["state"]?.string == "awaitingPayment")
      let delivery = await front.deliveries().first?["delivery"]
      #expect(delivery?["derivedFrom"]?.string == order)
      #expect(delivery?["units"]?["amount"]?.integer == 1)
      #expect(try await front.violations() == [])
    }
  }

  @Test(arguments: FixtureDatabase.allCases)
  func `the same order asked for 50 times at once under one key is one order`(_ kind: FixtureDatabase) async throws {
    try await kind.withFront { (front) async throws in
      let body = JSONValue.members([("productId", "coins.100"), ("store", "appStore")])
      let token = front.token()
      let answers = await withTaskGroup(of: Answer.self) { group in
        for _ in 0..<50 {
          group.addTask {
            await front.ask("POST", "/v1/orders", as: token, json: body, fields: ["Idempotency-Key": "tap"])
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(Set(answers.compactMap { $0["id"]?.string }).count == 1)
      #expect(answers.count { $0.status == 201 } == 1)
      #expect(answers.count { $0.status == 200 } == 49)
    }
  }
}
