import AppStoreIntegration
import AppStoreProtocol
import Cryptography
import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import SigningAuthorities
import SimulationKit
import StrictJSON
import TestDoubles
import Testing

@Suite struct `The keys of the gateway to Apple's servers` {
  private static func credentials(_ keyId: String) throws -> AppStoreServerCredentials {
    try AppStoreServerCredentials(
      issuerId: "57246542-96fe-1a63-e053-0824d011072a", keyId: keyId, bundleId: "com.example",
      privateKey: ECDSAPrivateKey(curve: .p256, randomBytes: Array(repeating: 6, count: 48)))
  }

  /// The key that signed the token of a request.
  private static func keyId(of request: HTTPRequest) -> String? {
    let token = request.fields["Authorization"]?.dropFirst("Bearer ".count) ?? ""
    let header = token.split(separator: ".").first.flatMap { Base64URL.decode(String($0)) }
    return header.flatMap { try? JSONReader.read($0)["kid"]?.string }
  }

  @Test func `stays refused if Apple accepts none of the keys, and asks with each once`() throws {
    let servers = try ScriptedAppleServers { _, _ in .answer(401) }
    var settings = try #require(servers.gateway.settings)
    settings.formerCredentials = [try Self.credentials("KLMNOPQRST"), try Self.credentials("UVWXYZABCD")]
    servers.gateway.replace(by: settings, receipts: nil)
    #expect(try servers.perform { try await $0.ask().outcome.error?.code } == .notAuthorized)
    #expect(servers.visits.count == 3)
    #expect(servers.logged.fields(of: "appStore.formerKeyUsed").isEmpty)
  }

  @Test func `does not know the outcome if the call with the former key gets no answer`() throws {
    let servers = try ScriptedAppleServers { request, _ in
      Self.keyId(of: request) == "KLMNOPQRST" ? .silence : .answer(401)
    }
    var settings = try #require(servers.gateway.settings)
    settings.formerCredentials = [try Self.credentials("KLMNOPQRST")]
    servers.gateway.replace(by: settings, receipts: nil)
    let outcome = try servers.perform { try await $0.ask().outcome }
    guard case .unknown(.noAnswer(.outcomeUnknown)) = outcome else {
      Issue.record("it may have taken effect: \(outcome)")
      return
    }
    #expect(servers.visits.count == 2)
  }

  @Test func `uses a former key while Apple does not accept the newest, loses no call, and says so once a minute`()
    throws
  {
    let servers = try ScriptedAppleServers { request, now in
      // Apple accepts the new key two minutes later.
      let isAccepted = Self.keyId(of: request) == "KLMNOPQRST" || now >= SimulatedWorld.beginning + .minutes(2)
      return isAccepted ? .good : .answer(401)
    }
    var settings = try #require(servers.gateway.settings)
    settings.formerCredentials = [try Self.credentials("KLMNOPQRST")]
    servers.gateway.replace(by: settings, receipts: nil)
    for _ in 0..<3 { #expect(try servers.perform { try await $0.ask().outcome.answer } != nil) }
    #expect(servers.visits.map(\.status) == [401, 200, 200, 200], "the former key goes first for a minute")
    let told = servers.logged.fields(of: "appStore.formerKeyUsed")
    #expect(told.map { $0["refused"] } == ["ABCDEFGHIJ"] && told.map { $0["accepted"] } == ["KLMNOPQRST"])
    servers.world.run(for: .seconds(61))
    #expect(try servers.perform { try await $0.ask().outcome.answer } != nil)
    #expect(servers.visits.count == 6, "the newest is tried again")
    servers.world.run(for: .minutes(3))
    #expect(try servers.perform { try await $0.ask().outcome.answer } != nil)
    #expect(servers.visits.count == 7, "the newest is accepted")
    #expect(servers.logged.fields(of: "appStore.formerKeyUsed").count == 2)
  }

  @Test func `uses the keys of a reload for the next call, and lets those under way end with theirs`() throws {
    let seen = EventLog()
    let servers = try ScriptedAppleServers { request, _ in
      seen.note(LogEvent(.info, Self.keyId(of: request) ?? "none"))
      return .good
    }
    try servers.perform { servers async throws in
      async let underWay = servers.ask().outcome.answer
      try await servers.process.dependencies().sleep(.milliseconds(50))
      var settings = try #require(servers.gateway.settings)
      settings.credentials = try Self.credentials("KLMNOPQRST")
      servers.gateway.replace(by: settings, receipts: nil)
      #expect(try await servers.ask().outcome.answer != nil)
      #expect(try await underWay != nil)
    }
    #expect(seen.lines == ["ABCDEFGHIJ", "KLMNOPQRST"])
  }
}
