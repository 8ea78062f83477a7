import PaymentPrimitives

extension VaultRecords {
  /// The records of the app's earlier code, oldest first.
  var earlier: [KeptEarlierRecord] {
    earlierRecords.values.sorted { ($0.takenOverAt, $0.id) < ($1.takenOverAt, $1.id) }
  }

  /// Keeps an earlier record; merges it into a known one with the same user and number.
  ///
  /// - Returns: false if there is no room.
  /// - Throws: `VaultFailure` if it cannot be made durable.
  func takeOver(_ new: KeptEarlierRecord) async throws(VaultFailure) -> Bool {
    var isThere = true
    try await change { () throws(VaultFailure) in
      var old = earlier.first {
        $0.record.user == new.record.user && $0.record.reference == new.record.reference
          && $0.record.product == new.record.product
      }
      if let known = old {
        old = nil
        // Another process may have completed and removed it.
        if case .earlier(let stored)? = try await read(VaultItem.earlier(known).name) { old = stored }
        earlierRecords[known.id] = old
      }
      var kept = old ?? new
      kept.record = old.map { new.record.merged(into: $0.record) } ?? new.record
      guard kept != old else { return }
      guard old != nil || earlierRecords.count < VaultLimits.earlierMax else {
        isThere = false
        return
      }
      try await write(.earlier(kept))
      earlierRecords[kept.id] = kept
    }
    return isThere
  }

  /// Removes an earlier record: the server has it, or it can no longer be completed.
  func forget(_ kept: KeptEarlierRecord) async throws(VaultFailure) {
    try await change { () throws(VaultFailure) in
      guard earlierRecords[kept.id] != nil else { return }
      try await remove(VaultItem.earlier(kept).name)
      earlierRecords[kept.id] = nil
    }
  }
}
