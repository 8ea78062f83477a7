import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import Synchronization

/// Changes of this process that readers on other nodes may wait for, until they are sent.
///
/// They are sent after the commit, in a transaction of their own: within a transaction of money, PostgreSQL's NOTIFY
/// takes one lock for the whole server.
final class NodeNews: Sendable {
  private struct State {
    var lines: Set<String> = []
    var isEverything = false
  }

  /// Yields when there is something to send.
  let wakes: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let state = Mutex(State())
  /// More changes are sent as one line that says everything.
  static let linesMax = 2_000

  init() { (wakes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

  func note(_ changes: CommittedChanges) {
    let lines: [String]? =
      switch changes {
      case .everything: nil
      case .keys(let keys): keys.compactMap { SharedChange(key: $0)?.line }
      }
    if lines?.isEmpty == true { return }
    state.withLock { state in
      if let lines { state.lines.formUnion(lines) }
      if lines == nil || state.lines.count > Self.linesMax {
        state.isEverything = true
        state.lines = []
      }
    }
    continuation.yield()
  }

  /// What is to be sent now, as few messages.
  func take() -> [String] {
    let taken = state.withLock { state in
      defer { state = State() }
      return state
    }
    if taken.isEverything { return [SharedChange.everything] }
    var messages: [String] = []
    for line in taken.lines.sorted() {
      if let last = messages.last, last.utf8.count + line.utf8.count < PaymentEngine.messageBytesMax {
        messages[messages.count - 1] = "\(last)\n\(line)"
      } else {
        messages.append(line)
      }
    }
    return messages
  }
}

/// A changed key as a line of text. Only orders and payments are waited for.
struct SharedChange {
  static let everything = "*"
  let key: LockKey

  init?(key: LockKey) {
    switch key {
    case .order, .payment: self.key = key
    default: return nil
    }
  }

  /// Nil for a key with a character that separates its parts: its waiters look again by themselves.
  var line: String? {
    let parts: [String] =
      switch key {
      case .order(let key):
        ["o", key.appEnvironment.app.text, key.appEnvironment.environment.rawValue, key.id.description]
      case .payment(let key):
        ["p", key.app.text, key.environment.rawValue, key.store.rawValue, key.transaction.text]
      default: []
      }
    guard parts.allSatisfy({ !$0.utf8.contains(9) && !$0.utf8.contains(10) }) else { return nil }
    return parts.joined(separator: "\t")
  }

  /// A line that another version sent and this one does not know has no key.
  init?(line: Substring) {
    let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    guard parts.count >= 4, let environment = StoreEnvironment(rawValue: parts[2]) else { return nil }
    let app = AppIdentifier(parts[1])
    switch (parts[0], parts.count) {
    case ("o", 4):
      guard let id = OrderIdentifier(parts[3]) else { return nil }
      key = .order(OrderKey(appEnvironment: AppEnvironment(app: app, environment: environment), id: id))
    case ("p", 5):
      guard let store = Store(rawValue: parts[3]) else { return nil }
      key = .payment(
        PaymentKey(
          app: app, store: store, environment: environment, transaction: TransactionIdentifier(parts[4])))
    default: return nil
    }
  }
}

extension PaymentEngine {
  static let messageBytesMax = 7_000

  /// Sends what commits of this node changed to the other nodes, until the task is cancelled.
  func tellNodes() async {
    guard let coordination = database.coordination else { return }
    for await _ in news.wakes {
      let messages = news.take()
      guard !messages.isEmpty else { continue }
      do { try await coordination.tell(messages) } catch {
        // The readers on other nodes look again by themselves.
        log(LogEvent(.warning, "node.notTold", [("error", "\(error)")]))
      }
      guard (try? await dependencies.sleep(limits.nodeNewsPause)) != nil else { return }
    }
  }

  /// Wakes the readers of this node for what other nodes changed, until the task is cancelled.
  func hearNodes() async {
    guard let coordination = database.coordination else { return }
    while !Task.isCancelled {
      do {
        let heard = try await coordination.hear(within: .seconds(1))
        nodes.noteHearing(true)
        guard let messages = heard else {
          commits.signal(.everything)
          continue
        }
        let lines = messages.flatMap { $0.split(separator: "\n" as Character) }
        guard !lines.isEmpty else { continue }
        if lines.contains(where: { $0 == SharedChange.everything }) {
          commits.signal(.everything)
        } else {
          commits.signal(.keys(lines.compactMap { SharedChange(line: $0)?.key }))
        }
      } catch {
        // Without messages the readers of this node look again after each pause: a poll.
        nodes.noteHearing(false)
        commits.signal(.everything)
        guard (try? await dependencies.sleep(limits.nodeHearingPause)) != nil else { return }
      }
    }
  }
}
