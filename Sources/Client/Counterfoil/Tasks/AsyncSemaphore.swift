/// Limits how many tasks run at a time; first come, first served. Each task that enters must leave.
actor AsyncSemaphore {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(places: Int) { free = places }

  func enter() async {
    guard free == 0 else {
      free -= 1
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  func leave() {
    guard !waiting.isEmpty else {
      free += 1
      return
    }
    // The place goes to the next task in the queue without becoming free in between.
    waiting.removeFirst().resume()
  }
}
