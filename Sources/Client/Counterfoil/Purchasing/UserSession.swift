import CounterfoilAPI
import PaymentPrimitives

/// The signed-in user, and the server calls that are made with a user's token.
final class UserSession {
  private let configuration: PurchasingConfiguration
  private let dependencies: Dependencies
  private let tasks: BackgroundTasks
  private let log: SupportLog
  private let tokens = UserTokenCache()
  /// The signed-in user; nil when no one is signed in.
  var user: UserIdentifier? {
    didSet { if user == nil { tokens.dropAll() } }
  }

  init(
    _ configuration: PurchasingConfiguration, dependencies: Dependencies, tasks: BackgroundTasks, log: SupportLog
  ) {
    self.configuration = configuration
    self.dependencies = dependencies
    self.tasks = tasks
    self.log = log
  }

  /// Makes a call with a user's token. If the server refuses the token, the app is asked once for a new one.
  nonisolated(nonsending) func asUser<Value: Sendable>(
    _ user: UserIdentifier, _ call: (ServerConnection.Credential) async -> ServerReply<Value>
  ) async -> ServerReply<Value> {
    guard let token = await token(of: user, wasRefused: false) else {
      return .noCredential("The app gave no token.")
    }
    let reply = await call(.user(token: token))
    guard case .refused(let problem) = reply, problem.status == 401 else { return reply }
    guard let fresh = await self.token(of: user, wasRefused: true), fresh != token else {
      return reply
    }
    return await call(.user(token: fresh))
  }

  /// Repeats a repeatable request for as long as a customer is willing to wait.
  nonisolated(nonsending) func asWaitingUser<Value: Sendable>(
    _ user: UserIdentifier, _ call: (ServerConnection.Credential) async -> ServerReply<Value>
  ) async throws(PurchasingError) -> Value {
    let policies = configuration.policies
    var pauses = policies.orderPauses[...]
    while true {
      switch await asUser(user, call) {
      case .answered(let value):
        return value
      case .noCredential(let why):
        throw PurchasingError(.userTokenUnavailable, why)
      case .refused(let problem):
        let isToken = problem.status == 401 || problem.status == 403
        throw PurchasingError(
          isToken ? .userTokenUnavailable : .serverRefused, problem.title, serverCode: problem.code)
      case .unknown(let why, let retryAfter):
        // A customer does not wait longer than this; the record stays, and the next tap goes on with it.
        guard let pause = pauses.popFirst(), retryAfter ?? .zero <= policies.requestLimit,
          !Task.isCancelled
        else { throw PurchasingError(.serverUnreachable, why, retryAfter: retryAfter) }
        try? await dependencies.sleep(dependencies.jittered(max(pause, retryAfter ?? .zero)))
      }
    }
  }

  /// A user's token from the app; nil if the app gave none in time, or not a valid token.
  nonisolated(nonsending) private func token(of user: UserIdentifier, wasRefused: Bool) async -> String? {
    if wasRefused {
      tokens.drop(user)
    } else if let kept = tokens.token(of: user, at: dependencies.now()) {
      return kept
    }
    let fetch = configuration.userToken
    let request = UserTokenRequest(user: user, wasRefused: wasRefused)
    let token = await tasks.asking(configuration.policies.requestLimit) { _ -> String? in
      try? await fetch(request)
    }
    guard let token = token ?? nil, !token.isEmpty,
      token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else {
      log.write(.error, "client.userToken.missing")
      return nil
    }
    tokens.keep(token, of: user, at: dependencies.now())
    return token
  }
}
