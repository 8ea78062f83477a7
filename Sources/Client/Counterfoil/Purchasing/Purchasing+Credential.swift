import CounterfoilAPI
import PaymentPrimitives

extension Purchasing {
  /// Makes a call with a user's token. If the server refuses the token, the app is asked once for a new one.
  func asUser<Value: Sendable>(
    _ user: UserIdentifier,
    _ call: (ServerConnection.Credential) async -> ServerReply<Value>
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

  /// A user's token from the app; nil if the app gave none in time, or not a valid token.
  private func token(of user: UserIdentifier, wasRefused: Bool) async -> String? {
    let fetch = configuration.userToken
    let wish = UserTokenRequest(user: user, wasRefused: wasRefused)
    let token = await bounded(configuration.policies.requestLimit) { () -> String? in
      try? await fetch(wish)
    }
    guard let token = token ?? nil, !token.isEmpty,
      token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else {
      log(.error, "client.userToken.missing")
      return nil
    }
    return token
  }
}
