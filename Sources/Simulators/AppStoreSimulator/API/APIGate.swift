import AppStoreProtocol
import Cryptography
import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// What every request to the API passes before anything is done: a token that one of the team's keys has signed for one
/// of its apps (rule AS-API-1). Every failure is the same silent 401.
struct APIGate {
  // Not the whole state: what somebody else still holds is copied when it changes.
  let keys: [String: SimulatedAPIKey]
  let apps: [String: SimulatedApp]
  let testKey: SimulatedAPIKey
  /// The world's time: tokens know nothing of the simulator's clock.
  let realTime: Timestamp

  private static let audience = "appstoreconnect-v1"
  /// Apple refuses tokens that live longer.
  private static let lifeMax: Int64 = 3600
  /// A token has some hundred bytes.
  private static let tokenBytesMax = 8192
  private static let limits = JSONLimits(bytesMax: 4096, depthMax: 4, valuesMax: 100)

  /// The app that the token speaks for.
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
      let expires = claims["exp"]?.integer
    else { throw .unauthenticated }
    let now = realTime.seconds
    // Apple's page wants `iat`; Apple's own libraries leave it out.
    if claims["iat"] != nil, claims["iat"]?.integer == nil { throw .unauthenticated }
    let issued = claims["iat"]?.integer ?? now
    guard issued <= now, now < expires, expires - issued <= Self.lifeMax else { throw .unauthenticated }
    guard let app = claims["bid"]?.string.flatMap({ apps[$0] }) else { throw .unauthenticated }
    return app
  }

  private static func object(_ bytes: [UInt8]) -> JSONValue? {
    guard let value = try? JSONReader.read(bytes, limits: limits), value.object != nil else { return nil }
    return value
  }
}

/// How often the app has called what in this hour. It is not in the log: after a restart everybody begins anew.
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
  /// - Parameter knob: the calls that an hour allows, in the place of Apple's numbers; 0 for those.
  /// - Throws: 429 until the hour is over (rule AS-API-3).
  mutating func admit(
    _ bundleId: String, _ environment: SimulatedEnvironment, _ operation: AppStoreAPIOperation, at now: Timestamp,
    knob: Int64
  ) throws(AppStoreAPIProblem) {
    let hour = now.seconds / 3600
    if hour != self.hour { (self.hour, counts) = (hour, [:]) }
    let key = Key(bundleId: bundleId, environment: environment, operation: operation)
    let inProduction = operation.callsPerSecond * 3600
    let most = knob > 0 ? knob : environment == .production ? inProduction : inProduction / 10
    counts[key, default: 0] += 1
    guard counts[key, default: 0] <= most else {
      throw .rateLimitExceeded(until: Timestamp(seconds: (hour + 1) * 3600))
    }
  }
}
