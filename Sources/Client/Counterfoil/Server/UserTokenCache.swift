import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// The tokens of users while they are valid, so that not every request asks the app's backend for one.
///
/// Only a token that states its end (`exp`) is kept. A token of another form is asked for before each request.
final class UserTokenCache {
  /// A token is not sent in its last minute: the request takes time, and the clocks differ.
  private static let margin = TimeSpan.minutes(1)
  /// The longest time in the cache: a device's clock may be wrong by years.
  private static let longest = TimeSpan.hours(1)
  /// A signed-in user, and those whose purchases still run.
  private static let usersMax = 4

  private struct Kept {
    let token: String
    let from: Timestamp
    let until: Timestamp
  }

  private var kept: [UserIdentifier: Kept] = [:]

  /// The user's token, if it is still valid by this clock.
  func token(of user: UserIdentifier, at now: Timestamp) -> String? {
    guard let known = kept[user] else { return nil }
    // A clock that was set back proves nothing about the token's end.
    guard known.from <= now, now < known.until else {
      kept[user] = nil
      return nil
    }
    return known.token
  }

  /// Keeps a token until shortly before its end.
  func keep(_ token: String, of user: UserIdentifier, at now: Timestamp) {
    guard let end = Self.expiry(of: token) else { return }
    let until = min(end - Self.margin, now + Self.longest)
    guard until > now else { return }
    if kept.count >= Self.usersMax { kept = [:] }
    kept[user] = Kept(token: token, from: now, until: until)
  }

  /// The server refused the user's token.
  func drop(_ user: UserIdentifier) { kept[user] = nil }

  /// Nobody is signed in any more.
  func dropAll() { kept = [:] }

  /// The end that a token states (`exp` of a JSON Web Token); nil if it states none. Nothing is checked: the server
  /// does that.
  static func expiry(of token: String) -> Timestamp? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let payload = bytes(ofBase64URL: parts[1]),
      let json = try? JSONReader.read(payload), let seconds = json["exp"]?.flooredInteger
    else { return nil }
    return Timestamp(seconds: seconds)
  }

  /// The bytes of a text in Base64 for URLs (RFC 4648, section 5), without padding.
  private static func bytes(ofBase64URL text: Substring) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (bits, count): (UInt32, Int) = (0, 0)
    for character in text.utf8 {
      let value: UInt8
      switch character {
      case 0x41...0x5A: value = character - 0x41
      case 0x61...0x7A: value = character - 0x61 + 26
      case 0x30...0x39: value = character - 0x30 + 52
      case 0x2D: value = 62
      case 0x5F: value = 63
      default: return nil
      }
      (bits, count) = (bits << 6 | UInt32(value), count + 6)
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
    }
    return bytes
  }
}
