import PaymentVocabulary
import Synchronization

/// How often callers may ask: a steady rate and a burst each.
public struct RateSettings: Hashable, Sendable {
  /// Of one user: a phone that recovers sends a burst, then little.
  public var user = Rate(perSecond: 20, burst: 400)
  /// Of one secret or operator key: a whole backend stands behind it.
  public var key = Rate(perSecond: 2000, burst: 4000)
  /// Of one address, whoever asks from it: offices and carriers share addresses.
  public var peer = Rate(perSecond: 2000, burst: 4000)
  /// Subjects remembered at a time: an attacker with many addresses must not fill memory. The longest idle one is forgotten.
  public var subjectsMax = 20_000

  /// A rate with its burst.
  public struct Rate: Hashable, Sendable {
    /// Requests per second, steadily.
    public var perSecond: Int64
    /// Requests at once after a quiet time.
    public var burst: Int64

    /// A rate.
    public init(perSecond: Int64, burst: Int64) {
      self.perSecond = perSecond
      self.burst = burst
    }
  }

  /// The usual rates.
  public init() {}
}

/// Token buckets per caller and address.
final class RateLimits: Sendable {
  enum Subject: Hashable, Sendable {
    case peer(String)
    case user(AppIdentifier, UserIdentifier)
    case key(CredentialIdentifier)
  }

  /// Thousandths of a request that may still be made, as of a moment.
  private struct Bucket {
    var thousandths: Int64
    var at: Timestamp
  }

  private let settings: RateSettings
  private let buckets = Mutex<[Subject: Bucket]>([:])

  init(_ settings: RateSettings) { self.settings = settings }

  /// Takes one request from the subject's bucket; false when it is empty.
  func allows(_ subject: Subject, at now: Timestamp) -> Bool {
    let rate =
      switch subject {
      case .peer: settings.peer
      case .user: settings.user
      case .key: settings.key
      }
    let settings = settings
    return buckets.withLock { buckets in
      var bucket = buckets[subject] ?? Bucket(thousandths: rate.burst * 1000, at: now)
      let passed = min(max(0, (now - bucket.at).milliseconds), 3_600_000)
      bucket.thousandths = min(rate.burst * 1000, bucket.thousandths + passed * rate.perSecond)
      bucket.at = now
      let isAllowed = bucket.thousandths >= 1000
      if isAllowed { bucket.thousandths -= 1000 }
      if buckets[subject] == nil, buckets.count >= settings.subjectsMax { Self.forget(&buckets) }
      buckets[subject] = bucket
      return isAllowed
    }
  }

  /// Forgets the longer idle half, so that it costs little per request.
  private static func forget(_ buckets: inout [Subject: Bucket]) {
    let moments = buckets.values.map(\.at).sorted()
    let middle = moments[moments.count / 2]
    buckets = buckets.filter { $0.value.at > middle }
  }
}
