/// Lets so many pass at a time, first come first served. Whoever enters must leave.
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
    // The place goes to the next in line without becoming free in between.
    waiting.removeFirst().resume()
  }
}
