import Cryptography
import PaymentPrimitives
import PaymentServer
import TOMLConfiguration

/// Reads the `[[app.user_token_key]]` tables of an app: the keys with which its backend signs user tokens.
struct UserTokenKeyReading {
  let reading: ConfigurationReading
  let table: ConfigurationTable

  init(_ reading: ConfigurationReading, _ table: ConfigurationTable) {
    self.reading = reading
    self.table = table
  }

  /// The names of JOSE (RFC 7518).
  private enum Algorithm: String, CaseIterable {
    case HS256
    case ES256
  }

  func keys() -> [(CredentialIdentifier, UserTokenKey)] {
    let app = table.optional("id", .string(bytes: 1...64)) ?? ""
    return table.tables("user_token_key").compactMap { key($0, AppIdentifier(app)) }
  }

  private func key(
    _ table: ConfigurationTable, _ app: AppIdentifier
  ) -> (CredentialIdentifier, UserTokenKey)? {
    let kid = table.required("kid", .string(bytes: 1...255))
    let algorithm: Algorithm? = table.required("algorithm", .word)
    let method: (field: String, UserTokenKey.Method)?
    switch algorithm {
    case .ES256: method = publicKey(table).map { ("public_key_file", .es256($0)) }
    case .HS256: method = reading.secret(table, "secret").map { ("secret", .hs256($0)) }
    case nil: method = nil
    }
    guard let kid, let (field, usable) = method else { return nil }
    do {
      return (CredentialIdentifier(kid), try UserTokenKey(app: app, method: usable))
    } catch {
      table.refuse(field, .malformed, details: "\(error)")
      return nil
    }
  }

  private func publicKey(_ table: ConfigurationTable) -> ECDSAPublicKey? {
    guard let path = table.required("public_key_file", .string(bytes: 1...4096)),
      let bytes = reading.file(path, table, key: "public_key_file")
    else { return nil }
    do { return try ECDSAPublicKey(pem: String(decoding: bytes, as: UTF8.self)) } catch {
      table.refuse("public_key_file", .malformed, details: "\(path): \(error)")
      return nil
    }
  }
}
