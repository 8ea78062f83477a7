package import Cryptography
import PaymentDatabase
import PaymentEngine
package import PaymentPrimitives
import PaymentServer
import ServerConfiguration
import StrictJSON

/// `counterfoil token`: issues a user token for tests, as the app's backend would.
package enum TokenCommand {
  package static let command = Command.of(
    "token", BilingualText("issue a user token, to try things out", "签发用户令牌，便于试用"),
    usage: """
      usage: counterfoil token --user ID [--kid KID] [--minutes N]

      Issues a user token (JWT, HS256) with a shared secret of the configuration, as the app's backend would. In
      production your backend does this itself.

        --user ID           the user that it names
        --kid KID           which key signs; needed when the configuration has several HS256 keys
        --minutes N         how long it is valid, 1 to 1440 (otherwise 60)
      \(ServerFlags.usage)

      Exit codes: 0 issued, 1 no key to sign with, 2 wrong usage.

      """,
    valued: ["user", "kid", "minutes"] + ServerFlags.valued
  ) { options, platform in
    guard let user = try options.one("user"), (1...255).contains(user.utf8.count) else {
      throw UsageError("--user is needed: 1 to 255 bytes.")
    }
    let configuration = try await ChosenConfiguration.of(options, platform)
    let kid = try options.one("kid")
    let usable = configuration.userTokenKeys.sorted { $0.key < $1.key }.filter {
      if case .hs256 = $0.value.method { kid == nil || $0.key.text == kid } else { false }
    }
    guard usable.count == 1, let (id, key) = usable.first, case .hs256(let secret) = key.method else {
      throw CommandFailure(
        usable.isEmpty
          ? "the configuration has no such HS256 key; only your backend can sign with ES256."
          : "--kid is one of \(usable.map(\.key.text).joined(separator: ", ")).")
    }
    let lifetime = TimeSpan.minutes(try options.number("minutes", in: 1...1440) ?? 60)
    platform.print(
      issue(for: user, of: key.app, kid: id, secret, at: platform.dependencies.now(), for: lifetime) + "\n")
    return ExitCode.done
  }

  /// A user token (docs/specification/http.md, rule 1).
  package static func issue(
    for user: String, of app: AppIdentifier, kid: CredentialIdentifier, _ secret: Secret,
    at now: Timestamp, for lifetime: TimeSpan
  ) -> String {
    let header = JSONValue.members([("alg", "HS256"), ("typ", "JWT"), ("kid", .string(kid.text))])
    let claims = JSONValue.members([
      ("sub", .string(user)), ("aud", .string(app.text)), ("iat", .integer(now.seconds)),
      ("exp", .integer((now + lifetime).seconds)),
    ])
    let signed = Base64URL.encode(header.bytes) + "." + Base64URL.encode(claims.bytes)
    return signed + "." + Base64URL.encode(HMACSHA256.code(for: signed.utf8, key: secret))
  }
}
