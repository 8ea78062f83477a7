import CounterfoilCLI

/// Compares work with a reference by batches in turn: reference, work, reference, work.
struct PairedStopwatch {
  /// The number of ratios for a figure.
  let pairs: Int
  /// The number of runs per batch.
  let batch: Int
  let nanoseconds: () -> UInt64
  let reference: (Int) -> Void

  var description: String {
    "Medians of \(pairs) pairs of batches of \(batch), measured in turn; in brackets the range."
  }

  /// The cost of the work relative to the reference, for each pair. The work receives the number of its turn.
  func measure(_ work: (Int) -> Void) -> Ratios {
    // One unmeasured batch of each first: it fills caches, lazy look-ups and the chain cache.
    _ = time(reference, 0)
    _ = time(work, 0)
    return Ratios(
      (1...pairs).map { pair in
        let before = time(reference, pair)
        let own = time(work, pair)
        return Double(own) / Double(max(before, 1))
      })
  }

  /// How often per second the reference runs, in the best of several batches.
  func referencesPerSecond() -> Int {
    let best = (0..<10).map { time(reference, $0) }.min() ?? 1
    return Int(Double(batch) * 1e9 / Double(max(best, 1)))
  }

  private func time(_ work: (Int) -> Void, _ round: Int) -> UInt64 {
    let start = nanoseconds()
    for turn in 0..<batch { work(round * batch + turn) }
    return nanoseconds() - start
  }
}

/// Ratios of pairs that were measured next to each other.
struct Ratios {
  let sorted: [Double]

  init(_ ratios: [Double]) { sorted = ratios.sorted() }

  /// Of an even count, the mean of the two in the middle.
  var median: Double { (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2 }
  var least: Double { sorted[0] }
  var most: Double { sorted[sorted.count - 1] }

  func map(_ transform: (Double) -> Double) -> Ratios { Ratios(sorted.map(transform)) }
}
