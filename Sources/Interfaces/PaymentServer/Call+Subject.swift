import CounterfoilAPI
import PaymentEngine
import PaymentPrimitives

// The user and the environment of a call. Only a secret key may name them freely; other callers may only name their
// own.
extension Call {
  /// The user of the call: the token's, or the one that a backend names in path, query or body.
  func user(named elsewhere: UserIdentifier? = nil) throws(CodedError<ServerErrorCode>) -> UserIdentifier {
    guard let user = try optionalUser(named: elsewhere) else { throw CodedError(.userMissing) }
    return user
  }

  /// The user of the call, if it is about one.
  ///
  /// - Parameter elsewhere: the user named in the path or body, besides the query.
  func optionalUser(
    named elsewhere: UserIdentifier? = nil
  ) throws(CodedError<ServerErrorCode>) -> UserIdentifier? {
    let inQuery = try query("userId").map { UserIdentifier($0) }
    if let elsewhere, let inQuery, elsewhere != inQuery {
      throw CodedError(.fieldInvalid, "userId is named twice, and not the same.")
    }
    let named = elsewhere ?? inQuery
    switch caller {
    case .user(let user):
      guard named == nil || named == user else { throw CodedError(.userNotAllowed) }
      guard !user.text.utf8.contains(0) else { throw Self.nullCharacter(in: "The user's id") }
      return user
    case .backend:
      if let named, !(1...255).contains(named.text.utf8.count) {
        throw CodedError(.fieldInvalid, "userId must be a text of 1 to 255 bytes.")
      }
      return named
    case .publishableKey, nil:
      guard named == nil else { throw CodedError(.userNotAllowed) }
      return nil
    }
  }

  /// Throws if some later calls could not name the buyer's id. Older data of such a user stays readable.
  func checkBuyer(_ user: UserIdentifier?) throws(CodedError<ServerErrorCode>) {
    guard let user, !ContractLimits.isUserIdentifier(user.text) else { return }
    throw CodedError(
      .fieldInvalid, "The user's id must be 1 to 255 bytes without control characters, and neither \".\" nor \"..\".")
  }

  /// The environment that a backend asks about: the app's own unless the query or the body names another.
  func appEnvironment(named inBody: StoreEnvironment? = nil) throws(CodedError<ServerErrorCode>) -> AppEnvironment {
    let app = try authenticatedApp()
    var inQuery: StoreEnvironment?
    if let word = try query("environment") {
      guard case .backend = caller else {
        throw CodedError(.fieldInvalid, "environment may be named with a secret key only.")
      }
      inQuery = StoreEnvironment(rawValue: word)
      guard inQuery != nil else { throw Self.foreignEnvironment(app) }
    }
    if let inBody, let inQuery, inBody != inQuery {
      throw CodedError(.fieldInvalid, "environment is named twice, and not the same.")
    }
    return try appEnvironment(of: inBody ?? inQuery ?? app.home)
  }

  /// The app in one of its own environments.
  func appEnvironment(of environment: StoreEnvironment) throws(CodedError<ServerErrorCode>) -> AppEnvironment {
    let app = try authenticatedApp()
    guard environment == app.home || app.counterpartEnvironments.contains(environment) else {
      throw Self.foreignEnvironment(app)
    }
    return AppEnvironment(app: app.id, environment: environment)
  }

  private static func foreignEnvironment(_ app: AppPolicy) -> CodedError<ServerErrorCode> {
    let words = ([app.home] + app.counterpartEnvironments).map(\.rawValue).joined(separator: ", ")
    return CodedError(.fieldInvalid, "environment must be one that this app has: \(words).")
  }
}
