package import Counterfoil
package import HTTPMessages
package import PaymentDatabase
package import PaymentPrimitives
import Synchronization

/// The parts of a world that a test can replace, to show that the oracle detects a broken part. The product has no
/// option for any of this.
package struct Substitutions: Sendable {
  /// Wraps the database of each server.
  package var database: @Sendable (any PaymentDatabase) -> any PaymentDatabase
  /// Wraps the payment queue of each run of an app.
  package var queue: @Sendable (any StoreQueue) -> any StoreQueue
  /// Makes the phones of a world from all settings at once, because two phones may share an Apple account.
  package var handsets: @Sendable ([WorldHandsetSetting]) -> [any WorldHandset]
  /// Wraps each server's connection to WeChat Pay.
  package var weChatPay: @Sendable (HTTPExchange) -> HTTPExchange
  /// Wraps each phone's connection to the server, for example with the team's own gateway.
  package var gateway: @Sendable (HTTPExchange) -> HTTPExchange
  package var hazards = WorldHazard.usual
  /// The database of the servers; nil: the seed decides.
  package var databaseKind: WorldDatabaseKind?
  /// The number of server processes over a modelled PostgreSQL; 0: the seed decides on one or two, over another
  /// database.
  package var nodes = 0
  /// The faults of the modelled PostgreSQL itself.
  package var postgreSQL = ModelledPostgreSQL.Habits()
  /// Makes the backend's booking record; a new one for each world.
  package var book: @Sendable () -> any WorldBook

  package init() {
    database = { $0 }
    queue = { $0 }
    handsets = { $0.map { PlainHandset($0) } }
    weChatPay = { $0 }
    gateway = { $0 }
    book = { DurableBook() }
  }
}

/// The deliveries that the backend of a world has booked; they survive a kill of the backend.
package protocol WorldBook: Sendable {
  /// Books a delivery.
  ///
  /// - Returns: whether it took effect; false if it was booked before.
  func book(_ entry: WorldBookEntry) -> Bool

  /// All deliveries that took effect, in order.
  var entries: [WorldBookEntry] { get }
}

package struct WorldBookEntry: Hashable, Sendable {
  package let delivery: String
  /// `grant.created`, `grant.reversed` or `grant.reinstated`.
  package let type: String
  /// The store's transaction id of the payment.
  package let transaction: TransactionIdentifier
  package let user: UserIdentifier
  /// Units; 0 for an entitlement.
  package let units: Int64
  /// The name of the units; nil for an entitlement.
  package let unit: UnitName?
  /// The sequence number among the deliveries about that payment, from 1.
  package let sequence: Int64
}

/// The booking record of a correct backend: it keeps each delivery id for ever and drops duplicates.
package final class DurableBook: WorldBook {
  private struct State {
    var known: Set<String> = []
    var entries: [WorldBookEntry] = []
  }

  private let state = Mutex(State())

  /// An empty record.
  package init() {}

  /// Books a delivery with a new id; a repeat has no effect.
  package func book(_ entry: WorldBookEntry) -> Bool {
    state.withLock { state in
      guard state.known.insert(entry.delivery).inserted else { return false }
      state.entries.append(entry)
      return true
    }
  }

  /// The deliveries that took effect, in order.
  package var entries: [WorldBookEntry] { state.withLock { $0.entries } }
}
