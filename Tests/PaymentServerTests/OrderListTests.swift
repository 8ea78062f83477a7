import HTTPMessages
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

@Suite struct `A list of orders` {
  /// Five orders a minute apart: the second and the fourth are derived from payments, with ids that contain no time.
  private func five(_ front: ServerFixture) async throws -> [String] {
    var ids: [String] = []
    for number in 0..<5 {
      if number % 2 == 0 {
        ids.append(await front.order())
      } else {
        // No order fits, so one is derived.
        let evidence = TestAppStoreSigner(at: front.now()).transaction(
          "100\(number)", of: "com.example.premium", type: "Non-Consumable")
        let answer = await front.submit(evidence, as: front.token(of: number == 1 ? "alice" : "bob"))
        ids.append(try #require(answer.payment["orderId"]?.string))
      }
      front.clock.advance(by: .seconds(60))
    }
    let derived = ids.map { OrderIdentifier($0)?.high ?? 0 }.filter { $0 & 0xF000 == 0x8000 }
    #expect(derived.count == 2)
    return ids
  }

  private func identifiers(_ answer: Answer) -> [String] {
    (answer["orders"]?.array ?? []).compactMap { $0["id"]?.string }
  }

  @Test func `is sorted by the time of creation, derived orders too`() async throws {
    let front = try await ServerFixture.open()
    let ids = try await five(front)
    #expect(identifiers(await front.ask("GET", "/v1/orders", as: front.keys.secret)) == ids.reversed())
    let alices = [ids[4], ids[2], ids[1], ids[0]]
    #expect(identifiers(await front.ask("GET", "/v1/orders", as: front.token())) == alices)
    #expect(identifiers(await front.ask("GET", "/v1/users/alice/orders", as: front.keys.secret)) == alices)
    #expect(identifiers(await front.ask("GET", "/v1/orders?open=true", as: front.token())) == [ids[4], ids[2], ids[0]])
  }

  @Test func `is read page by page without a gap or a repetition`() async throws {
    let front = try await ServerFixture.open()
    let ids = try await five(front)
    for (credential, all) in [
      (front.keys.secret, Array(ids.reversed())), (front.token(), [ids[4], ids[2], ids[1], ids[0]]),
    ] {
      var read: [String] = []
      var query = "?limit=1"
      for _ in 0..<6 {
        let page = await front.ask("GET", "/v1/orders" + query, as: credential)
        read += identifiers(page)
        guard let next = page["next"]?.string else { break }
        query = "?limit=1&before=" + RequestTarget.encode(next)
      }
      #expect(read == all)
    }
  }

  @Test func `continues only after an order that the caller may see`() async throws {
    let front = try await ServerFixture.open()
    let ids = try await five(front)
    for before in ["x", "01890a5d-ac96-774b-bcce-b302099a8057", ids[3]] {
      let answer = await front.ask("GET", "/v1/orders?before=" + before, as: front.token())
      #expect(answer.code == "field_invalid", "\(before)")
    }
  }
}
