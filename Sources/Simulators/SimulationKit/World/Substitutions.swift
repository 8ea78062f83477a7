package import Counterfoil
package import HTTPMessages
package import PaymentDatabase
package import PaymentPrimitives
import Synchronization

/// Where a test puts something of its own into a world: to show that the oracle notices what a broken part would do.
/// The product has no switch for any of this.
package struct Substitutions: Sendable {
  /// Wraps the store of each server.
  package var store: @Sendable (any PaymentDatabase) -> any PaymentDatabase
  /// Wraps the payment queue of each run of an app.
  package var queue: @Sendable (any StoreQueue) -> any StoreQueue
  /// The phones of a world, all of its settings at once: two may share an Apple account.
  package var handsets: @Sendable ([WorldHandsetSetting]) -> [any WorldHandset]
  /// Wraps each server's way to WeChat Pay.
  package var weChatPay: @Sendable (HTTPExchange) -> HTTPExchange
  /// Wraps each phone's way to the server: the team's own gateway may stand there.
  package var gateway: @Sendable (HTTPExchange) -> HTTPExchange
  package var hazards = WorldHazard.usual
  /// What the servers keep their rows in; nil where the seed decides.
  package var database: WorldDatabaseKind?
  /// The backend's book; a new one for each world.
  package var book: @Sendable () -> any WorldBook

  package init() {
    store = { $0 }
    queue = { $0 }
    handsets = { $0.map { PlainHandset($0) } }
    weChatPay = { $0 }
    gateway = { $0 }
    book = { DurableBook() }
  }
}

/// What the backend of a world has written down; it survives the backend.
package protocol WorldBook: Sendable {
  /// Books a delivery.
  ///
  /// - Returns: whether it took effect; false for one that was booked before.
  func book(_ entry: WorldBookEntry) -> Bool

  /// Everything that took effect, in order.
  var entries: [WorldBookEntry] { get }
}

package struct WorldBookEntry: Hashable, Sendable {
  package let delivery: String
  /// `grant.created`, `grant.reversed` or `grant.reinstated`.
  package let type: String
  /// The store's number of the payment.
  package let transaction: TransactionIdentifier
  package let user: UserIdentifier
  /// Units; 0 for a right.
  package let units: Int64
  /// Which units; nil for a right.
  package let unit: UnitName?
  /// Its place among the deliveries about that payment, from 1.
  package let sequence: Int64
}

/// The book of a backend that does as it is told: it keeps each delivery id for ever and drops what it has.
package final class DurableBook: WorldBook {
  private struct State {
    var known: Set<String> = []
    var entries: [WorldBookEntry] = []
  }

  private let state = Mutex(State())

  /// An empty book.
  package init() {}

  /// Books a delivery whose id is new; a repeat has no effect.
  package func book(_ entry: WorldBookEntry) -> Bool {
    state.withLock { state in
      guard state.known.insert(entry.delivery).inserted else { return false }
      state.entries.append(entry)
      return true
    }
  }

  /// What took effect, in order.
  package var entries: [WorldBookEntry] { state.withLock { $0.entries } }
}
