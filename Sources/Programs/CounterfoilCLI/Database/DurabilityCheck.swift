import PaymentDatabase
import PaymentPrimitives
import PostgreSQLDatabase
import ServerConfiguration

/// Whether an answered payment survives the loss of a machine, as the configuration wants it.
enum DurabilityCheck {
  /// The settings of the server that do not keep what the configuration states; empty if all do.
  ///
  /// A simulated server may run over a database that loses commits, as those of tests do.
  static func shortcomings(
    of facts: ServerFacts, for durability: DatabaseDurability, _ profile: DatabaseProfile
  ) -> [String] {
    guard profile == .production || durability != .local else { return [] }
    var found: [String] = []
    if !facts.flushes { found.append("fsync is off") }
    if !facts.repairsPages { found.append("full_page_writes is off") }
    // `local` flushes to the own disk; the other words also wait for a standby, if there is one.
    let enough = durability == .replicated ? ["on", "remote_apply"] : ["on", "remote_apply", "remote_write", "local"]
    if !enough.contains(facts.synchronousCommit) { found.append("synchronous_commit is \(facts.synchronousCommit)") }
    if durability == .replicated, facts.standbyNames.isEmpty { found.append("synchronous_standby_names is empty") }
    return found
  }

  /// - Throws: `notDurable` with the settings.
  static func require(
    _ facts: ServerFacts, for durability: DatabaseDurability, _ profile: DatabaseProfile
  ) throws(CodedError<DatabaseErrorCode>) {
    let found = shortcomings(of: facts, for: durability, profile)
    guard found.isEmpty else {
      throw CodedError(
        .notDurable,
        "The configuration has durability = \"\(durability.rawValue)\", but "
          + found.joined(separator: ", ") + ".")
    }
  }
}
