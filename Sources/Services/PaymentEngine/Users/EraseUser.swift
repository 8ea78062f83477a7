import Cryptography
import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives

/// An erasure, and whether this call began it.
package struct ErasedUser: Hashable, Sendable {
  package let erasure: UserErasure
  package let isNew: Bool
}

extension PaymentEngine {
  /// Erases a user of an app, in all its environments: what the ledger needs stays under an alias, all else of the user
  /// goes (record 301).
  ///
  /// It runs in steps, each one commit. All rows of one payment change together, so the rules of money hold after each.
  /// A repetition goes on with an erasure that did not end, or returns the one that did. The same id later is a new
  /// user.
  /// - Parameter isForced: also erases a user who owes units, or whose subscription will renew.
  /// - Throws: `userUnknown`, `userAlreadyMerged`, `erasureNotPossible` naming what is open, `erasureListUnavailable`.
  package func eraseUser(_ user: UserIdentifier, of app: AppPolicy, isForced: Bool = false) async throws -> ErasedUser {
    try await hideInAuditLog(user, of: app)
    // The entry of the audit log belongs to the erasure: it may still be refused.
    try await AuditedAction.$current.withValue(nil) {
      for appEnvironment in app.userEnvironments {
        for order in try await read({ try $0.openOrders(of: user, in: appEnvironment) }) {
          _ = try await closeOrder(.id(order.key.id), in: appEnvironment, of: user, because: .closedByBackend)
        }
      }
    }
    let (secret, now) = (secret, now)
    let begun = try await transact { transaction in
      if let known = try transaction.erasure(of: user, in: app.homeEnvironment) {
        return ErasedUser(erasure: known, isNew: false)
      }
      if let merge = try transaction.merge(of: user, in: app.homeEnvironment) {
        throw CodedError<EngineErrorCode>(.userAlreadyMerged, "\(user) was merged into \(merge.into).")
      }
      let (last, alias) = try transaction.nextAlias(of: user, in: app.id, secret: secret)
      guard try app.userEnvironments.contains(where: { try transaction.hasRows(of: user, in: $0) }),
        try transaction.erasure(as: user, of: app.id) == nil
      else {
        guard let last else { throw CodedError<EngineErrorCode>(.userUnknown) }
        return ErasedUser(erasure: last, isNew: false)
      }
      let open = try app.userEnvironments.flatMap {
        try OpenMatters(reader: transaction, user: user, appEnvironment: $0, now: now).found(isForced: isForced)
      }
      guard open.isEmpty else {
        throw CodedError<EngineErrorCode>(.erasureNotPossible, "Open: \(Set(open).sorted().joined(separator: ", ")).")
      }
      let erasure = UserErasure(app: app.id, alias: alias, user: user, begunAt: transaction.now)
      try transaction.insert(erasure)
      return ErasedUser(erasure: erasure, isNew: true)
    }
    let done = try await finish(begun.erasure, of: app)
    return ErasedUser(erasure: done, isNew: begun.isNew)
  }

  /// The audit log can never be changed, so the entry of an erasure tells the alias and not the user.
  private func hideInAuditLog(_ user: UserIdentifier, of app: AppPolicy) async throws {
    guard let action = AuditedAction.current else { return }
    let secret = secret
    let alias = try await read { reader in
      if let known = try reader.erasure(of: user, in: app.homeEnvironment) { return known.alias }
      let (last, next) = try reader.nextAlias(of: user, in: app.id, secret: secret)
      guard let last, try !app.userEnvironments.contains(where: { try reader.hasRows(of: user, in: $0) }) else {
        return next
      }
      return last.alias
    }
    action.hide(user, behind: alias)
  }

  /// Goes on with erasures that did not end, in order.
  package func resumeErasures() async throws {
    for erasure in try await read({ try $0.erasuresUnderWay(limit: Self.erasuresAtOnce) }) {
      guard let app = apps[erasure.app] else { continue }
      _ = try await finish(erasure, of: app)
    }
  }

  /// More erasures than anybody leaves behind; the next hour takes the others.
  private static let erasuresAtOnce = 1000

  /// Goes on with erasures that a stop or an error left, at the start and each hour, until the task is cancelled.
  func keepErasing() async {
    await repeatUntilDone(loggingErrors: "erasure.failed", pause: limits.erasureInterval) {
      try await resumeErasures()
      try await dependencies.sleep(limits.erasureInterval)
      return false
    }
  }

  /// Takes an erasure to its end, from wherever it is.
  func finish(_ begun: UserErasure, of app: AppPolicy) async throws -> UserErasure {
    guard begun.user != nil else { return begun }
    // On the list before the user is gone: afterwards nobody could say whose rows a restored backup has.
    try await list([ListedErasure(begun)])
    var lastEntry: Int64 = 0
    while true {
      for appEnvironment in app.userEnvironments {
        let work = ErasureWork(engine: self, erasure: begun, appEnvironment: appEnvironment)
        while try await work.renameOwn() {}
        try await work.renameWhereNamed()
      }
      lastEntry = try await AuditLogRedaction(engine: self, erasure: begun, app: app).run(after: lastEntry)
      if let done = try await end(begun, of: app, redactedTo: lastEntry) { return done }
    }
  }

  /// Ends an erasure, in one commit; nil if the user has got new rows in the meantime.
  private func end(_ begun: UserErasure, of app: AppPolicy, redactedTo lastEntry: Int64) async throws -> UserErasure? {
    let (entriesMax, salt) = (limits.rowsPerErasureStep, newSalt())
    let (done, isNew) = try await transact { transaction -> (UserErasure?, Bool) in
      guard var erasure = try transaction.erasure(as: begun.alias, of: app.id) else {
        throw CodedError<EngineErrorCode>(.userUnknown)
      }
      guard erasure.user != nil else { return (erasure, false) }
      // Operators may have named the user in the meantime.
      let entries = try transaction.auditLog(after: lastEntry, limit: entriesMax + 1)
      guard entries.count <= entriesMax else { return (nil, false) }
      try AuditLogRedaction.redact(entries, of: erasure, app, salt: salt, in: transaction)
      for appEnvironment in app.userEnvironments {
        guard let renaming = try transaction.renaming(of: erasure, in: appEnvironment) else { continue }
        guard try transaction.rename(renaming, limit: 1).isEmpty else { return (nil, false) }
        try transaction.forgetRest(renaming)
        try transaction.redactPauses(renaming, endpoints: app.endpoints.map(\.name))
      }
      erasure.user = nil
      erasure.doneAt = transaction.now
      try transaction.update(erasure)
      if let making = EventMaking(app, at: transaction.now) { try transaction.tell(making.erased(erasure)) }
      return (erasure, true)
    }
    if isNew, let done {
      log(
        LogEvent(
          .info, "user.erased",
          [
            ("app", app.id.text), ("alias", done.alias.text), ("orders", "\(done.orders)"),
            ("payments", "\(done.payments)"),
          ]))
    }
    return done
  }
}

extension DatabaseReader {
  /// The last erasure of users with that id, and the alias of the next one.
  func nextAlias(
    of user: UserIdentifier, in app: AppIdentifier, secret: Secret
  ) throws -> (last: UserErasure?, alias: UserIdentifier) {
    var (last, number): (UserErasure?, Int) = (nil, 1)
    while true {
      let alias = UserAlias.of(user, number: number, in: app, secret: secret)
      guard let known = try erasure(as: alias, of: app) else { return (last, alias) }
      (last, number) = (known, number + 1)
    }
  }

  /// How the rows of a user who is being erased change; nil once the erasure has ended.
  func renaming(of erasure: UserErasure, in appEnvironment: AppEnvironment) throws -> UserRenaming? {
    guard let user = erasure.user else { return nil }
    // Those who were merged into the user are the same person.
    var (names, next) = ([user], 0)
    while next < names.count {
      for other in try users(mergedInto: names[next], in: appEnvironment) where !names.contains(other) {
        names.append(other)
      }
      next += 1
    }
    let text = PersonalText(names: Set(names.map(\.text)), alias: erasure.alias.text)
    return UserRenaming(appEnvironment: appEnvironment, names: names, alias: erasure.alias) { text.redacted($0) }
  }

  /// Refuses a booking of a user who is being erased: between two steps, their balance is not what they have.
  func refuseErasure(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws {
    let present = try present(user, in: appEnvironment)
    for one in present == user ? [user] : [user, present] where try erasure(of: one, in: appEnvironment) != nil {
      throw CodedError<EngineErrorCode>(.userBeingErased)
    }
  }
}
