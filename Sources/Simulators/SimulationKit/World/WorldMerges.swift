import PaymentPrimitives
import Synchronization

/// The merges of users that the backend of a world asked for; they survive a kill of the backend.
final class WorldMerges: Sendable {
  struct Merge: Hashable, Sendable {
    let user: UserIdentifier
    let into: UserIdentifier
    /// Nil while no final answer has arrived.
    var isDone: Bool?
    /// Whether the user was erased: the other one is their alias.
    var isErasure = false
  }

  /// An order with the app's own number.
  struct Draft: Hashable, Sendable {
    let user: UserIdentifier
    let number: String
    let order: OrderIdentifier
  }

  private let state = Mutex<[Merge]>([])
  private let ordered = Mutex<[Draft]>([])

  /// The orders with the app's own numbers.
  var drafts: [Draft] { ordered.withLock { $0 } }

  func note(_ draft: Draft) { ordered.withLock { $0.append(draft) } }

  /// All merges, in the order in which they were asked for.
  var all: [Merge] { state.withLock { $0 } }

  /// Whether no user has another account than their own.
  var isEmpty: Bool { all.allSatisfy { $0.isDone != true } }

  /// The user who has that user's account, after every merge that was answered.
  func present(_ user: UserIdentifier) -> UserIdentifier {
    let done = all.filter { $0.isDone == true }
    var present = user
    while let merge = done.first(where: { $0.user == present }) { present = merge.into }
    return present
  }

  /// Whether the user, or whoever they were merged into, was erased.
  func isErased(_ user: UserIdentifier) -> Bool {
    let present = present(user)
    return all.contains { $0.isErasure && $0.into == present }
  }

  /// How many users stand behind an alias: an erasure also renames those who were merged into the user, and each had
  /// limits of their own until then. One for everybody else.
  func countOfUsers(behind name: UserIdentifier) -> Int64 {
    guard all.contains(where: { $0.isErasure && $0.into == name }) else { return 1 }
    return Int64(all.count { $0.isDone == true && present($0.user) == name })
  }

  func present(_ users: Set<UserIdentifier>) -> Set<UserIdentifier> { isEmpty ? users : Set(users.map(present)) }

  func want(_ merge: Merge) { state.withLock { $0.append(merge) } }

  func note(_ isDone: Bool, of user: UserIdentifier) {
    state.withLock { all in
      guard let index = all.firstIndex(where: { $0.user == user }) else { return }
      all[index].isDone = isDone
    }
  }
}

extension WorldPhone {
  /// Its users, as they are after merges.
  var users: [UserIdentifier] { context.merges.present(Set(plan.users)).sorted() }
}

// What a phone recorded, with the users as they are after merges.
extension WorldMerges {
  func presently<Record>(_ records: [Record], _ present: (Record) -> Record) -> [Record] {
    isEmpty ? records : records.map(present)
  }

  func present(_ moments: [UserIdentifier: Timestamp]) -> [UserIdentifier: Timestamp] {
    Dictionary(moments.map { (present($0.key), $0.value) }, uniquingKeysWith: max)
  }

  func present(_ sheet: WorldSheet) -> WorldSheet {
    WorldSheet(
      token: sheet.token, users: present(sheet.users), account: sheet.account, product: sheet.product,
      quantity: sheet.quantity, tappedAt: sheet.tappedAt, openedAt: sheet.openedAt, phone: sheet.phone)
  }

  func present(_ tap: WorldTap) -> WorldTap {
    WorldTap(user: present(tap.user), product: tap.product, quantity: tap.quantity, at: tap.at)
  }

  func present(_ claim: WorldClaim) -> WorldClaim {
    WorldClaim(user: present(claim.user), order: claim.order, isRecovered: claim.isRecovered)
  }

  func present(_ handOver: WorldHandOver) -> WorldHandOver {
    WorldHandOver(order: handOver.order, users: present(handOver.users))
  }

  func present(_ restore: WorldRestore) -> WorldRestore {
    WorldRestore(
      user: present(restore.user), account: restore.account, from: restore.from, to: restore.to, isDone: restore.isDone)
  }

  func present(_ entry: WorldBookEntry) -> WorldBookEntry {
    WorldBookEntry(
      delivery: entry.delivery, type: entry.type, transaction: entry.transaction, user: present(entry.user),
      units: entry.units, unit: entry.unit, sequence: entry.sequence)
  }

  func present(_ debit: WalletClient.Debit) -> WalletClient.Debit {
    var present = WalletClient.Debit(
      key: debit.key, user: present(debit.user), unit: debit.unit, amount: debit.amount)
    present.questions = debit.questions
    present.outcome = debit.outcome
    return present
  }
}
