import CounterfoilAPI
package import Cryptography
package import HTTPMessages
import PaymentModel
package import PaymentPrimitives
import StrictJSON
import Synchronization

/// One run of `counterfoil receiver test`. Each check has users and payments of its own, so no check sees another's.
package final class ReceiverTesting: Sendable {
  package struct Settings: Sendable {
    package var url: String
    package var secretText: String
    package var secret: Secret
    /// Answers the units of a user as a number; nil: what was booked is not checked.
    package var countURL: String?
    /// Restarts the receiver; nil: what it remembers then is not checked.
    package var restartURL: String?
    /// The environment that the receiver books.
    package var environment: StoreEnvironment
    package var app: AppIdentifier

    package init(url: String, secretText: String, secret: Secret, environment: StoreEnvironment, app: AppIdentifier) {
      self.url = url
      self.secretText = secretText
      self.secret = secret
      self.environment = environment
      self.app = app
    }
  }

  let settings: Settings
  let exchange: HTTPExchange
  let dependencies: Dependencies
  let monotonicNanoseconds: @Sendable () -> UInt64
  /// Tells this run's users and ids from those of others.
  let run: String
  let seen = Mutex(Seen())

  /// What all answers showed.
  struct Seen: Sendable {
    var slowestMilliseconds: UInt64 = 0
    var redirects = 0
  }

  package static let answerLimit = TimeSpan.seconds(15)
  /// Longer than the limit, so that a slow receiver fails no other check.
  static let patience = TimeSpan.seconds(60)
  static let amount: Int64 = 100

  package init(
    _ settings: Settings, exchange: HTTPExchange, dependencies: Dependencies,
    monotonicNanoseconds: @escaping @Sendable () -> UInt64
  ) {
    self.settings = settings
    self.exchange = exchange
    self.dependencies = dependencies
    self.monotonicNanoseconds = monotonicNanoseconds
    run = dependencies.randomBytes(5).hexadecimal
  }

  /// - Throws: `CommandFailure` if the receiver cannot be reached at all.
  package func findings() async throws -> [ReceiverFinding] {
    do { _ = try await exchange.send(HTTPRequest("POST", settings.url), Self.patience) } catch .unreachable(let why) {
      throw CommandFailure("\(settings.url) cannot be reached: \(why)")
    } catch {
      // Whatever else it answers to a call that is no delivery is judged below.
    }
    var findings: [ReceiverFinding] = []
    for check in ReceiverCheck.allCases {
      let problem: String?
      do { problem = try await self.problem(check) } catch is NotChecked {
        findings.append(ReceiverFinding(check: check, outcome: .notChecked, details: "needs --count-url and more"))
        continue
      } catch let unmet as Unmet { problem = unmet.text }
      findings.append(
        ReceiverFinding(check: check, outcome: problem == nil ? .passed : .failed, details: problem ?? ""))
    }
    return findings
  }

  struct NotChecked: Error {}

  /// What a receiver should have done, and what it did.
  struct Unmet: Error {
    let text: String

    init(_ text: String) { self.text = text }
  }
}

// MARK: messages

/// A message that is put together for one check.
struct ReceiverMessage: Sendable {
  var id: String
  var body: [UInt8]
  var at: Timestamp
  /// The header fields, without those that a check leaves out.
  var fields: [String: String]
}

extension ReceiverTesting {
  func user(_ check: ReceiverCheck) -> UserIdentifier { UserIdentifier("receiver-test-\(run)-\(check.rawValue)") }

  /// A delivery of a check.
  func delivery(
    _ check: ReceiverCheck, _ type: String = "grant.created", sequence: Int = 1,
    _ change: (inout DeliveryBody) -> Void = { _ in }
  ) -> DeliveryBody {
    let payment = PaymentKey(
      app: settings.app, store: .appStore, environment: settings.environment,
      transaction: TransactionIdentifier("test-\(run)-\(check.rawValue)"))
    var body = DeliveryBody(
      type: type, id: DeliveryIdentifier("dlv_test_\(run)_\(check.rawValue)_\(sequence)"), sequence: sequence,
      payment: payment, user: user(check), product: "receiver.test", quantity: 1,
      content: .units("coin", amount: Self.amount), occurredAt: dependencies.now())
    change(&body)
    return body
  }

  func reversal(
    _ check: ReceiverCheck, sequence: Int, takenBack: Int64, of change: Int64, _ type: String = "grant.reversed"
  ) -> DeliveryBody {
    delivery(check, type, sequence: sequence) {
      $0.content = .units("coin", amount: change)
      $0.takenBack = takenBack
      $0.inForce = Self.amount - takenBack
    }
  }

  func message(_ body: DeliveryBody, after span: TimeSpan = .zero) -> ReceiverMessage {
    message(body.id.text, Array(body.text.utf8), after: span)
  }

  func message(_ id: String, _ body: [UInt8], after span: TimeSpan = .zero) -> ReceiverMessage {
    let at = dependencies.now() + span
    let fields = [
      "Content-Type": "application/json", "User-Agent": "Counterfoil", "webhook-id": id,
      "webhook-timestamp": "\(at.seconds)", "webhook-signature": signature(id, body, at: at, by: settings.secret),
    ]
    return ReceiverMessage(id: id, body: body, at: at, fields: fields)
  }

  func signature(_ id: String, _ body: [UInt8], at: Timestamp, by secret: Secret) -> String {
    "v1," + Base64.encode(HMACSHA256.code(for: Array("\(id).\(at.seconds).".utf8) + body, key: secret))
  }

  // MARK: sending

  /// The status of the answer; nil without one.
  @discardableResult
  func send(_ message: ReceiverMessage, within limit: TimeSpan = ReceiverTesting.patience) async -> Int? {
    var request = HTTPRequest("POST", settings.url, body: message.body)
    for (name, value) in message.fields.sorted(by: { $0.key < $1.key }) { request.fields.set(name, value) }
    let began = monotonicNanoseconds()
    let status = try? await exchange.send(request, limit).status
    let milliseconds = (monotonicNanoseconds() - began) / 1_000_000
    seen.withLock { seen in
      if limit == Self.patience { seen.slowestMilliseconds = max(seen.slowestMilliseconds, milliseconds) }
      if let status, (300...399).contains(status) { seen.redirects += 1 }
    }
    return status
  }

  /// A redirect has a check of its own, so it counts as taken here.
  func isTaken(_ status: Int?) -> Bool { status.map { (200...399).contains($0) } ?? false }

  func mustTake(_ message: ReceiverMessage) async throws {
    let status = await send(message)
    guard isTaken(status) else { throw Unmet("answered \(Self.text(status)), expected 2xx") }
  }

  func mustRefuse(_ message: ReceiverMessage) async throws {
    let status = await send(message)
    guard !isTaken(status) else { throw Unmet("answered \(Self.text(status)), expected a refusal") }
  }

  static func text(_ status: Int?) -> String { status.map { "\($0)" } ?? "nothing" }

  // MARK: what was booked

  func mustHave(_ units: Int64, _ check: ReceiverCheck) async throws {
    guard let url = settings.countURL else { throw NotChecked() }
    let mark = url.contains("?") ? "&" : "?"
    let target = url + mark + "userId=" + RequestTarget.encode(user(check).text)
    guard let answer = try? await exchange.send(HTTPRequest("GET", target), Self.patience), answer.status == 200,
      let found = Int64(String(decoding: answer.body, as: UTF8.self).filter { !$0.isWhitespace })
    else { throw Unmet("\(url) did not answer a whole number") }
    guard found == units else { throw Unmet("\(found) units are booked, expected \(units)") }
  }
}
