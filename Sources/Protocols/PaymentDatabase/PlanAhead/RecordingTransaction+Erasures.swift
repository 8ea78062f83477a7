package import PaymentModel
package import PaymentPrimitives

extension RecordingTransaction {
  package func erasure(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> UserErasure? {
    try read(.user(user, appEnvironment)) { try $0.erasure(of: user, in: appEnvironment) }
  }

  package func foresee(erasureOf user: UserIdentifier, in appEnvironment: AppEnvironment) {
    base.foresee(erasureOf: user, in: appEnvironment)
    note([.user(user, appEnvironment)])
  }

  package func erasure(as alias: UserIdentifier, of app: AppIdentifier) throws -> UserErasure? {
    try readWithoutKey { try $0.erasure(as: alias, of: app) }
  }

  package func erasuresUnderWay(limit: Int) throws -> [UserErasure] {
    try readWithoutKey { try $0.erasuresUnderWay(limit: limit) }
  }

  package func erasures(after last: UserErasure?, limit: Int) throws -> [UserErasure] {
    try readWithoutKey { try $0.erasures(after: last, limit: limit) }
  }

  package func users(mergedInto user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> [UserIdentifier] {
    try readWithoutKey { try $0.users(mergedInto: user, in: appEnvironment) }
  }

  package func users(
    after user: UserIdentifier?, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [UserIdentifier] {
    try readWithoutKey { try $0.users(after: user, in: appEnvironment, limit: limit) }
  }

  package func rows(
    naming user: UserIdentifier, writtenAs text: String, in table: NamingTable, of appEnvironment: AppEnvironment,
    after number: Int64, count: Int
  ) throws -> NamingRows {
    try readWithoutKey {
      try $0.rows(naming: user, writtenAs: text, in: table, of: appEnvironment, after: number, count: count)
    }
  }

  package func insert(_ erasure: UserErasure) throws { try writeEverything { try $0.insert(erasure) } }

  package func update(_ erasure: UserErasure) throws { try writeEverything { try $0.update(erasure) } }

  package func rename(_ renaming: UserRenaming, limit: Int) throws -> RenamedRows {
    try writeEverything { try $0.rename(renaming, limit: limit) }
  }

  package func rename(_ renaming: UserRenaming, in rows: NamingRows) throws {
    try writeEverything { try $0.rename(renaming, in: rows) }
  }

  package func forgetRest(_ renaming: UserRenaming) throws { try writeEverything { try $0.forgetRest(renaming) } }
}
