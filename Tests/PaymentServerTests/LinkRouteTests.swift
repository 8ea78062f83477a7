import HTTPMessages
import PaymentEngine
import ShopFixtures
import StrictJSON
import Testing

@Suite struct `The links that open an app` {
  private static let path = "/.well-known/apple-app-site-association"

  @Test func `are told to everybody, as Apple's devices read them (W9)`() async throws {
    let front = try await ServerFixture.open {
      $0.app = {
        $0.universalLinks = AppPolicy.UniversalLinks(
          teamId: "ABCDE12345", bundleId: "com.example.shop", paths: ["/app/*", "/pay/*"])
      }
    }
    let answer = await front.ask("GET", Self.path)
    #expect(answer.status == 200 && answer.fields["Content-Type"] == "application/json")
    let details = #"{"appIDs":["ABCDE12345.com.example.shop"],"components":[{"/":"/app/*"},{"/":"/pay/*"}]}"#
    #expect(answer.text == #"{"applinks":{"details":[\#(details)]}}"#)
  }

  @Test func `are none without a configuration`() async throws {
    let answer = await (try await ServerFixture.open()).ask("GET", Self.path)
    #expect(answer.status == 200 && answer.text == #"{"applinks":{"details":[]}}"#)
  }
}
