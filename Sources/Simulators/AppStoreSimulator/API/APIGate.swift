import AppStoreProtocol
import Cryptography
import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// The check that every API request passes first: a token, signed by one of the team's keys, for one of its apps (rule
/// AS-API-1). Every failure is the same 401 without details.
struct APIGate {
  // Not the whole state: a second reference to it would force a copy at the next change.
  let keys: [String: SimulatedAPIKey]
  let apps: [String: SimulatedApp]
  let testKey: SimulatedAPIKey
  /// The real time: tokens do not follow the simulator's clock.
  let realTime: Timestamp

  private static let audience = "appstoreconnect-v1"
  /// Apple rejects tokens with a longer lifetime. In seconds.
  private static let lifeMax: Int64 = 3600
  /// A normal token has some hundred bytes.
  private static let tokenBytesMax = 8192
  private static let limits = JSONLimits(bytesMax: 4096, depthMax: 4, valuesMax: 100)

  /// Checks the token.
  ///
  /// - Returns: the app that the token names.
  func admit(_ request: HTTPRequest) throws(AppStoreAPIProblem) -> SimulatedApp {
    guard let field = request.fields["Authorization"], field.lowercased().hasPrefix("bearer "),
      let token = CompactJWS(field.dropFirst(7).utf8, bytesMax: Self.tokenBytesMax),
      let header = Self.object(token.header), let claims = Self.object(token.payload)
    else { throw .unauthenticated }
    guard header["alg"]?.string == "ES256", header["typ"] == nil || header["typ"]?.string == "JWT",
      let keyId = header["kid"]?.string, let key = keyId == testKey.keyId ? testKey : keys[keyId],
      let signature = ECDSASignature(raw: token.signature, curve: .p256),
      key.publicKey.isValid(signature, for: token.signed)
    else { throw .unauthenticated }
    guard claims["iss"]?.string == key.issuerId.text, claims["aud"]?.string == Self.audience,
      let expires = claims["exp"]?.flooredInteger
    else { throw .unauthenticated }
    let now = realTime.seconds
    // Apple's page requires `iat`; some of Apple's libraries leave it out. The one for Swift writes fractions.
    if claims["iat"] != nil, claims["iat"]?.flooredInteger == nil { throw .unauthenticated }
    let issued = claims["iat"]?.flooredInteger ?? now
    guard issued <= now, now < expires, expires - issued <= Self.lifeMax else { throw .unauthenticated }
    guard let app = claims["bid"]?.string.flatMap({ apps[$0] }) else { throw .unauthenticated }
    return app
  }

  private static func object(_ bytes: [UInt8]) -> JSONValue? {
    guard let value = try? JSONReader.read(bytes, limits: limits), value.object != nil else { return nil }
    return value
  }
}

/// Counts the calls of each app in the current hour. The counts are not in the log: a restart resets them.
struct APIRateLimits {
  private struct Key: Hashable {
    let bundleId: String
    let environment: SimulatedEnvironment
    let operation: AppStoreAPIOperation
  }

  private var hour: Int64 = 0
  private var counts: [Key: Int64] = [:]

  /// Counts a call.
  ///
  /// - Parameter behaviour: the calls that an hour allows; 0: Apple's numbers.
  /// - Throws: 429 until the hour ends (rule AS-API-3).
  mutating func admit(
    _ bundleId: String, _ environment: SimulatedEnvironment, operation: AppStoreAPIOperation, at now: Timestamp,
    behaviour: Int64
  ) throws(AppStoreAPIProblem) {
    let hour = now.seconds / 3600
    if hour != self.hour { (self.hour, counts) = (hour, [:]) }
    let key = Key(bundleId: bundleId, environment: environment, operation: operation)
    let inProduction = operation.callsPerSecond * 3600
    let most = behaviour > 0 ? behaviour : environment == .production ? inProduction : inProduction / 10
    counts[key, default: 0] += 1
    guard counts[key, default: 0] <= most else {
      throw .rateLimitExceeded(until: Timestamp(seconds: (hour + 1) * 3600))
    }
  }
}
