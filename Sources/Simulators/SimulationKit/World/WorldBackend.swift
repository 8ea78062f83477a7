import Cryptography
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Synchronization

/// The app's backend: it checks the signature of a delivery, books it once by its id, and answers, unless it is killed
/// first.
final class WorldBackend: Sendable {
  private struct State {
    var process: SimulatedProcess?
    var chance: SeededChance
  }

  private let context: SimulationContext
  let book: any WorldBook
  /// The booked sandbox deliveries, which arrive at a separate address.
  let sandboxBook = DurableBook()
  let till = WalletClient()
  /// The credits, with the server's answers.
  let gifts = WalletClient()
  private let state: Mutex<State>

  init(_ context: SimulationContext) {
    self.context = context
    book = context.substitutions.book()
    state = Mutex(State(process: nil, chance: SeededChance(seed: context.seed, purpose: "backend")))
  }

  var process: SimulatedProcess? { state.withLock { $0.process } }

  func start() {
    let process = context.process("backend")
    state.withLock { $0.process = process }
    process.whenKilled { [weak self] in
      self?.context.events.record("backend", "is killed", mark: .backendKilled)
      self?.state.withLock { $0.process = nil }
    }
  }

  func attendance(_ request: HTTPRequest) -> NetworkEndpoint<HTTPResponse>? {
    guard let process = state.withLock({ $0.process }) else { return nil }
    return NetworkEndpoint(process: process) { [self] in await respond(to: request, process.dependencies()) }
  }

  private func respond(to request: HTTPRequest, _ dependencies: Dependencies) async -> HTTPResponse {
    let faults = context.faults
    let (fails, booksFirst) = state.withLock { state in
      (state.chance.happens(perMille: faults.receiverFails), state.chance.happens(perMille: 600))
    }
    try? await dependencies.sleep(.milliseconds(3))
    guard let entry = entry(of: request) else {
      context.events.reportViolation("a delivery came without a right signature, or cannot be read")
      return HTTPResponse(status: 401)
    }
    if fails, !booksFirst { return HTTPResponse(status: 500) }
    let isSandbox = request.target == SimulationContext.path(of: SandboxPlan.backendURL)
    let environment = (try? JSONReader.read(request.body))?["environment"]?.string
    let expected: StoreEnvironment = isSandbox ? .sandbox : context.appEnvironment.environment
    if environment != expected.rawValue {
      context.events.reportViolation("a delivery of \(environment ?? "nowhere") came to the address for \(expected)")
    }
    let book: any WorldBook = isSandbox ? sandboxBook : book
    if book.book(entry) {
      let given = entry.units == 0 ? "a right" : "\(entry.units) units"
      context.events.record("backend", "books \(entry.type) of \(entry.transaction) for \(entry.user): \(given)")
    } else {
      context.events.record("backend", "drops a repeat about \(entry.transaction)", mark: .deliveryDropped)
    }
    try? await dependencies.sleep(.milliseconds(3))
    if fails { context.events.mark(.bookedButNotAcknowledged) }
    return HTTPResponse(status: fails ? 503 : 204)
  }

  /// Standard Webhooks: HMAC-SHA256 over id, time and body.
  private func entry(of request: HTTPRequest) -> WorldBookEntry? {
    guard let id = request.fields["webhook-id"], let time = request.fields["webhook-timestamp"],
      let signatures = request.fields["webhook-signature"], let body = try? JSONReader.read(request.body),
      body["id"]?.string == id, let type = body["type"]?.string, let user = body["userId"]?.string,
      let transaction = body["transactionId"]?.string
    else { return nil }
    let signed = Array("\(id).\(time).".utf8) + request.body
    let isSigned = signatures.split(separator: " ").contains { signature in
      guard signature.hasPrefix("v1,"), let code = Base64.decode(String(signature.dropFirst(3))) else { return false }
      return HMACSHA256.isValid(code, for: signed, key: WorldShop.webhookSecret)
    }
    guard isSigned else { return nil }
    return WorldBookEntry(
      delivery: id, type: type, transaction: TransactionIdentifier(transaction), user: UserIdentifier(user),
      units: body["units"]?["amount"]?.integer ?? 0, unit: body["units"]?["unit"]?.string.map { UnitName($0) },
      sequence: body["sequence"]?.integer ?? 0)
  }
}
