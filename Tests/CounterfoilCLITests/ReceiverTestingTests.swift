import CounterfoilCLI
import Cryptography
import HTTPMessages
import PaymentModel
import PaymentPrimitives
import StrictJSON
import Synchronization
import Testing

/// A backend's receiver in memory, sound but for one defect.
private final class Receiver: Sendable {
  private struct State {
    var ids: Set<String> = []
    var lost: Set<String> = []
    var holdings: [String: (user: String, sequence: Int64, left: Int64)] = [:]
  }

  static let secretText = "whsec_" + Base64.encode(Array(repeating: 9, count: 32))
  private static let secret = Secret(Array(repeating: 9, count: 32))
  private let defect: ReceiverCheck?
  private let state = Mutex(State())
  /// A clock that moves while the receiver works.
  let nanoseconds = Mutex<UInt64>(0)

  init(_ defect: ReceiverCheck?) { self.defect = defect }

  var exchange: HTTPExchange {
    HTTPExchange { [self] request, limit throws(HTTPExchangeError) in
      if request.method == "GET" {
        let path = request.target.split(separator: "/").last.map(String.init) ?? ""
        let user = RequestTarget("/" + path)?["userId"] ?? ""
        return HTTPResponse(status: 200, body: Array("\(units(of: user))\n".utf8))
      }
      if request.target.hasSuffix("/restart") {
        if defect == .afterRestart { state.withLock { $0.ids = [] } }
        return HTTPResponse(status: 204)
      }
      if defect == .answersInTime { nanoseconds.withLock { $0 += 20_000_000_000 } }
      let isCut = limit < .seconds(1)
      let status = await receive(request, isCut: isCut)
      if isCut { throw .outcomeUnknown("cut") }
      return HTTPResponse(status: defect == .noRedirect && status == 204 ? 307 : status)
    }
  }

  private func units(of user: String) -> Int64 {
    state.withLock { $0.holdings.values.reduce(0) { $0 + ($1.user == user ? $1.left : 0) } }
  }

  private func receive(_ request: HTTPRequest, isCut: Bool) async -> Int {
    if request.body.count > 1 << 20, defect != .oversizedBody { return 413 }
    guard let id = request.fields["webhook-id"], isSigned(request, id) else { return 401 }
    guard let body = try? JSONReader.read(request.body, limits: JSONLimits(bytesMax: 8 << 20)),
      body["id"]?.string == id || defect == .otherId
    else { return 400 }
    let at = body["occurredAt"]?.string.flatMap { Timestamp(iso8601: $0) } ?? ConfigCommandRun.now
    if defect == .olderOccurrence, at < ConfigCommandRun.now - .hours(1) { return 400 }
    if defect == .unknownField, body["ofALaterVersion"] != nil { return 400 }
    if defect == .goodSignature, body["units"] == nil { return 500 }
    let type = body["type"]?.string ?? ""
    guard type.hasPrefix("grant.") else { return defect == .unknownType ? 422 : 204 }
    guard body["environment"]?.string == "production" || defect == .otherEnvironment else { return 204 }
    let key = defect == .sameIdTwice ? id + (request.fields["webhook-timestamp"] ?? "") : id
    let isKnown = state.withLock { state in
      defect == .twentyAtOnce ? state.ids.contains(key) : !state.ids.insert(key).inserted
    }
    if isKnown { return 204 }
    if defect == .twentyAtOnce {
      for _ in 0..<20 { await Task.yield() }
      state.withLock { _ = $0.ids.insert(key) }
    }
    book(type, body)
    if isCut, defect == .cutAndRepeated { state.withLock { _ = $0.ids.remove(key) } }
    return 204
  }

  private func book(_ type: String, _ body: JSONValue) {
    let user = body["userId"]?.string ?? ""
    let key = (body["transactionId"]?.string ?? "") + user
    let amount = body["units"]?["amount"]?.integer ?? 0
    let sequence = body["sequence"]?.integer ?? 0
    state.withLock { state in
      var known = state.holdings[key] ?? (user, 0, 0)
      defer { state.holdings[key] = known }
      // A receiver that does not know the id books again.
      if type == "grant.created", known.sequence == 1 { return known.left += amount }
      guard sequence > known.sequence || defect == .reversedBeforeCreated else { return }
      let left = type == "grant.created" ? amount : body["inForce"]?.integer ?? 0
      switch (type, defect) {
      case ("grant.reversed", .reversed) where left == 0: break
      case ("grant.reversed", .partlyReversed) where sequence > 2:
        known.left -= body["takenBack"]?.integer ?? 0
      case ("grant.reinstated", .reinstated): break
      default: known.left = left
      }
      known.sequence = sequence
    }
  }

  private func isSigned(_ request: HTTPRequest, _ id: String) -> Bool {
    guard let signatures = request.fields["webhook-signature"] else { return defect == .missingSignature }
    guard let at = request.fields["webhook-timestamp"], let seconds = Int64(at) else {
      return defect == .missingTimestamp
    }
    let age = ConfigCommandRun.now.seconds - seconds
    if age > 300, defect != .oldTimestamp { return false }
    if age < -300, defect != .futureTimestamp { return false }
    var body = request.body
    if defect == .changedBody, body.last == 0x0A { body.removeLast() }
    let signed = Array("\(id).\(at).".utf8) + body
    let words = signatures.split(separator: " ")
    if defect == .otherVersion, !words.allSatisfy({ $0.hasPrefix("v1,") }) { return false }
    let secrets = [Self.secret] + (defect == .wrongSignature ? [Secret(Array(Self.secretText.utf8))] : [])
    return words.prefix(defect == .secondSignature ? 1 : 10).contains { word in
      guard word.hasPrefix("v1,"), let code = Base64.decode(String(word.dropFirst(3))) else { return false }
      return secrets.contains { HMACSHA256.isValid(code, for: signed, key: $0) }
    }
  }
}

@Suite struct `The test of a receiver` {
  private static func findings(
    _ defect: ReceiverCheck?, hasCount: Bool = true
  ) async throws -> [ReceiverFinding] {
    let receiver = Receiver(defect)
    var settings = ReceiverTesting.Settings(
      url: "http://backend.example/hook", secretText: Receiver.secretText,
      secret: Secret(Array(repeating: 9, count: 32)), environment: .production, app: "demo")
    if hasCount {
      settings.countURL = "http://backend.example/units"
      settings.restartURL = "http://backend.example/restart"
    }
    let testing = ReceiverTesting(
      settings, exchange: receiver.exchange,
      dependencies: Dependencies(
        now: { ConfigCommandRun.now }, randomBytes: { Array(repeating: 1, count: $0) }, sleep: { _ in }),
      monotonicNanoseconds: { receiver.nanoseconds.withLock(\.self) })
    return try await testing.findings()
  }

  @Test func `has 25 checks, and a sound receiver passes them all (22.4)`() async throws {
    let findings = try await Self.findings(nil)
    #expect(findings.count == 25 && findings.allSatisfy { $0.outcome == .passed }, "\(findings)")
  }

  @Test(arguments: ReceiverCheck.allCases)
  func `is failed by a broken receiver in exactly its own check (22.4)`(defect: ReceiverCheck) async throws {
    let failed = try await Self.findings(defect).filter { $0.outcome != .passed }
    #expect(failed.map(\.check) == [defect] && failed.allSatisfy { $0.outcome == .failed }, "\(failed)")
  }

  @Test func `calls nothing passed that it could not look at`() async throws {
    let findings = try await Self.findings(nil, hasCount: false)
    let unchecked = findings.filter { $0.outcome == .notChecked }.map(\.check)
    #expect(unchecked.count == 12 && unchecked.contains(.sameIdTwice) && unchecked.contains(.otherEnvironment))
    #expect(findings.allSatisfy { $0.outcome != .failed })
  }

  @Test func `refuses a wrong call, and tells of a receiver that is not there`() async {
    for arguments in [
      ["receiver"], ["receiver", "test"], ["receiver", "test", "http://a"], ["receiver", "code"],
      ["receiver", "code", "--language", "cobol"], ["receiver", "test", "http://a", "--secret", "missing"],
      ["receiver", "test", "http://a", "--secret", "wrong"],
      ["receiver", "test", "http://a", "--secret", "right", "--pull"], ["receiver", "code", "--pull"],
      ["receiver", "test", "http://a", "--secret", "right", "--environment", "moon"],
    ] {
      let answer = await Self.run(arguments)
      #expect(answer.code == 2, "\(arguments): \(answer.errors)")
    }
    let absent = await Self.run(["receiver", "test", "http://a", "--secret", "right"])
    #expect(absent.code == 1 && absent.errors.contains("http://a cannot be reached"), "\(absent.errors)")
  }

  @Test(arguments: ReceiverCode.allCases)
  func `prints a receiver of at most 170 lines for each language`(language: ReceiverCode) async {
    let shown = await Self.run(["receiver", "code", "--language", language.rawValue]).shown
    #expect(
      shown.split(separator: "\n", omittingEmptySubsequences: false).count <= 170
        && shown.lowercased().contains("webhook"))
    #expect(shown.contains("receiver test"))
  }

  @Test(arguments: ReceiverCode.allCases)
  func `prints a program that pulls the feed, of at most 130 lines, for each language`(language: ReceiverCode) async {
    let answer = await Self.run(["receiver", "code", "--pull", "--language", language.rawValue])
    let shown = answer.shown
    #expect(answer.code == 0 && shown.split(separator: "\n").count <= 130)
    for word in ["/v1/events", "COUNTERFOIL_SECRET_KEY", "event_unknown", "429", "next"] {
      #expect(shown.contains(word), "\(word)")
    }
    #expect(shown.contains("Our tests do not run it") != ReceiverCode.tested.contains(language))
  }

  private static func run(_ arguments: [String]) async -> ConfigCommandRun.Answer {
    let nobody = HTTPExchange { request, _ throws(HTTPExchangeError) in throw .unreachable(request.target) }
    return await ConfigCommandRun.run(
      "", files: ["wrong": Array("secret".utf8), "right": Array(Receiver.secretText.utf8)], variables: ["LANG": "en"],
      arguments: arguments, exchange: nobody)
  }
}
