import PaymentDatabase
import PaymentModel
import PaymentPrimitives

extension PaymentEngine {
  /// Adds lines to the list outside the database, if the configuration names one.
  func list(_ erasures: [ListedErasure]) async throws {
    guard let erasureList else { return }
    do {
      let known = Set(try await erasureList.read().map(\.place))
      let new = erasures.filter { !known.contains($0.place) }
      if !new.isEmpty { try await erasureList.append(new) }
    } catch let error as CodedError<EngineErrorCode> {
      throw error
    } catch {
      throw CodedError<EngineErrorCode>(.erasureListUnavailable, "\(error)")
    }
  }

  /// Erases again whom a restored backup brought back, before anything is answered about them (record 302). What the
  /// list lacks is added to it.
  ///
  /// - Returns: how many users were erased again.
  @discardableResult
  package func replayErasures() async throws -> Int {
    guard let erasureList else { return 0 }
    let listed = try await erasureList.read()
    try await list(try await kept().filter { $0.user == nil }.map { ListedErasure($0) })
    var count = 0
    for app in apps.all {
      let aliases = Set(listed.filter { $0.app == app.id }.map(\.alias))
      count += try await replay(aliases, of: app)
    }
    try await resumeErasures()
    return count
  }

  /// All erasures that the database knows.
  private func kept() async throws -> [UserErasure] {
    var (all, last): ([UserErasure], UserErasure?) = ([], nil)
    let page = limits.auditPage
    while true {
      let start = last
      let erasures = try await read { try $0.erasures(after: start, limit: page) }
      all += erasures
      guard erasures.count == page else { return all }
      last = erasures.last
    }
  }

  private func replay(_ listed: Set<UserIdentifier>, of app: AppPolicy) async throws -> Int {
    let known = Set(try await kept().filter { $0.app == app.id }.map(\.alias))
    var missing = listed.subtracting(known)
    guard !missing.isEmpty else { return 0 }
    log(LogEvent(.warning, "erasures.replayed", [("app", app.id.text), ("count", "\(missing.count)")]))
    let found = try await users(of: app, behind: missing, known: known)
    for (alias, user) in found.sorted(by: { $0.key < $1.key }) {
      missing.remove(alias)
      let erasure = try await begin(alias, of: user, app)
      _ = try await finish(erasure, of: app)
    }
    // Nobody here has them: the backup is older than the user, or the app has no such rows any more.
    for alias in missing.sorted() { _ = try await begin(alias, of: nil, app) }
    return found.count
  }

  private func begin(_ alias: UserIdentifier, of user: UserIdentifier?, _ app: AppPolicy) async throws -> UserErasure {
    try await transact { transaction in
      if let known = try transaction.erasure(as: alias, of: app.id) { return known }
      var erasure = UserErasure(app: app.id, alias: alias, user: user, begunAt: transaction.now)
      if user == nil { erasure.doneAt = transaction.now }
      try transaction.insert(erasure)
      return erasure
    }
  }

  /// The users whom these aliases stand for, computed from all users of the database.
  private func users(
    of app: AppPolicy, behind missing: Set<UserIdentifier>, known: Set<UserIdentifier>
  ) async throws -> [UserIdentifier: UserIdentifier] {
    var found: [UserIdentifier: UserIdentifier] = [:]
    let page = limits.auditPage
    for appEnvironment in app.userEnvironments {
      var last: UserIdentifier?
      while true {
        let start = last
        let users = try await read { try $0.users(after: start, in: appEnvironment, limit: page) }
        for user in users {
          var number = 1
          while true {
            let alias = UserAlias.of(user, number: number, in: app.id, secret: secret)
            if missing.contains(alias) { found[alias] = user }
            // A further erasure of the same id concerns rows that the backup does not have.
            guard known.contains(alias) else { break }
            number += 1
          }
        }
        guard let end = users.last else { break }
        last = end
      }
    }
    return found
  }
}

extension ListedErasure {
  /// An erasure is the same whenever it is listed.
  fileprivate var place: [String] { [app.text, alias.text] }
}
