import PaymentEngine
import PaymentPrimitives
import CounterfoilAPI

// Whom and which world a call is about. Only a secret key may say so; what anybody else names must be what he is
// anyway.
extension Call {
  /// The user that the call is about: the token's, or the one that a backend names in path, query or body.
  func user(named elsewhere: UserIdentifier? = nil) throws(CodedError<ServerErrorCode>) -> UserIdentifier {
    guard let user = try optionalUser(named: elsewhere) else { throw CodedError(.userMissing) }
    return user
  }

  /// The user that the call is about, if it is about one.
  ///
  /// - Parameter elsewhere: whom path or body name, beside the query.
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

  /// Refuses to buy for a user whom not every call could name afterwards. What such a user has from before stays
  /// readable.
  func checkBuyer(_ user: UserIdentifier?) throws(CodedError<ServerErrorCode>) {
    guard let user, !ContractLimits.isUserIdentifier(user.text) else { return }
    throw CodedError(
      .fieldInvalid, "The user's id must be 1 to 255 bytes without control characters, and neither \".\" nor \"..\".")
  }

  /// The world that a backend asks about: the app's own unless it names another, in the query or in the body.
  func realm(named inBody: StoreEnvironment? = nil) throws(CodedError<ServerErrorCode>) -> AppEnvironment {
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
    return try realm(of: inBody ?? inQuery ?? app.home)
  }

  /// The app in one of its own worlds.
  func realm(of environment: StoreEnvironment) throws(CodedError<ServerErrorCode>) -> AppEnvironment {
    let app = try authenticatedApp()
    guard environment == app.home || app.twinEnvironments.contains(environment) else {
      throw Self.foreignEnvironment(app)
    }
    return AppEnvironment(app: app.id, environment: environment)
  }

  private static func foreignEnvironment(_ app: AppSettings) -> CodedError<ServerErrorCode> {
    let words = ([app.home] + app.twinEnvironments).map(\.rawValue).joined(separator: ", ")
    return CodedError(.fieldInvalid, "environment must be one that this app has: \(words).")
  }
}
