/// Counts the waiting transactions; all continue together.
package actor WaitingCount {
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var isOpen = false

  package init() {}

  package func wait(for count: Int) async {
    guard !isOpen else { return }
    guard waiting.count + 1 < count else {
      isOpen = true
      for continuation in waiting { continuation.resume() }
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }
}
