import Synchronization

/// What operators of a world wrote to customers who complain at WeChat Pay.
final class WorldComplaints: Sendable {
  struct Answer: Hashable, Sendable {
    /// Each press has its own words.
    let text: String
    /// Whether the server said that WeChat Pay took it.
    var isTaken = false
  }

  private let state = Mutex<[Answer]>([])

  /// All answers, in the order in which they were pressed.
  var answers: [Answer] { state.withLock { $0 } }

  func want(_ text: String) { state.withLock { $0.append(Answer(text: text)) } }

  func noteTaken(_ text: String) {
    state.withLock { all in
      guard let index = all.firstIndex(where: { $0.text == text }) else { return }
      all[index].isTaken = true
    }
  }
}
