/// Roles, expiry and last use of operator keys (record 190). A key of an earlier version has no role. `used_at` is
/// written at most once an hour.
enum Migration0018 {
  static let statements = [
    "ALTER TABLE api_keys ADD COLUMN role TEXT",
    "ALTER TABLE api_keys ADD COLUMN expires_at INTEGER",
    "ALTER TABLE api_keys ADD COLUMN used_at INTEGER",
  ]
}
