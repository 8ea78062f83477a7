/// What is not yet as it should be. Each list may only shrink: an entry that is no longer true fails, like a new one.
enum Ratchets {
  /// Error codes that no test reaches.
  static let unreachedErrorCodes: Set<String> = [
    "store_contended", "store_damaged", "store_full", "store_held_by_another_process", "store_newer_schema",
    "store_other_profile", "store_outcome_unknown", "store_unavailable",
  ]
}
