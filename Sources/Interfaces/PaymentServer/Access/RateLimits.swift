import PaymentPrimitives
import Synchronization

/// The rate limits of callers: a steady rate and a burst each.
package struct RateSettings: Hashable, Sendable {
  /// Per user: a phone that recovers sends a burst, then little.
  package var user = Rate(perSecond: 20, burst: 400)
  /// Per secret or operator key: it serves a whole backend.
  package var key = Rate(perSecond: 2000, burst: 4000)
  /// Per address (IPv6: per network of 64 bits) without a credential: offices and carriers share addresses. A call of
  /// a user or key counts only against that user or key.
  package var peer = Rate(perSecond: 2000, burst: 4000)
  /// For stores' notifications, per address.
  package var notifications = Rate(perSecond: 2000, burst: 4000)
  /// The total that may still be checked from addresses that have used up their own rate: credentials and
  /// notifications that may be genuine, each kind with its own reserve. Genuine ones give back what they took. A check
  /// costs about 0.1 ms of a core.
  package var reserve = Rate(perSecond: 1000, burst: 2000)
  /// Subjects remembered at a time: an attacker with many addresses must not fill memory.
  package var subjectsMax = 20_000
  /// The number of requests that one with a wrong signature or key counts as. Such a check costs about that much more
  /// than an ordinary request, and honest callers rarely cause it.
  package var failedCheckCost: Int64 = 20

  package struct Rate: Hashable, Sendable {
    /// Requests per second, steadily.
    package let perSecond: Int64
    /// Requests at once after a quiet time.
    package let burst: Int64

    /// A rate; each value is at least one request.
    package init(perSecond: Int64, burst: Int64) {
      self.perSecond = min(max(perSecond, 1), 1_000_000)
      self.burst = min(max(burst, 1), 1_000_000)
    }
  }

  package init() {}
}

/// Token buckets per caller and address.
final class RateLimits: Sendable {
  enum Subject: Hashable, Sendable {
    case peer(String)
    case notifier(String)
    /// The capacity reserved for callers that may be genuine.
    case reserve(Reserve)
    case user(AppIdentifier, UserIdentifier)
    case key(CredentialIdentifier)

    /// The subject as text, to name a sender; two subjects have two texts.
    var text: String {
      switch self {
      case .peer(let network): "peer " + network
      case .notifier(let network): "notifier " + network
      case .reserve(let reserve): "reserve \(reserve)"
      case .user(let app, let user): "user " + app.text + " " + user.text
      case .key(let key): "key " + key.text
      }
    }
  }

  /// Kinds of checks with a reserve each.
  enum Reserve: Hashable, Sendable {
    case tokens
    /// API keys that are not in the cache.
    case keys
    case notifications
  }

  /// Thousandths of a request that are left at a given time; negative after a failed check.
  private struct Bucket {
    var thousandths: Int64
    var at: Timestamp

    mutating func fill(_ rate: RateSettings.Rate, at now: Timestamp) {
      // A clock that is set back adds nothing and takes nothing away.
      let passed = min(max(0, (now - at).milliseconds), 3_600_000)
      thousandths = min(rate.burst * 1000, thousandths + passed * rate.perSecond)
      at = now
    }
  }

  private let settings: RateSettings
  private let buckets = Mutex<[Subject: Bucket]>([:])

  init(_ settings: RateSettings) { self.settings = settings }

  /// What a caller has left of its rate.
  struct Standing: Hashable, Sendable {
    /// Whether the request was allowed.
    let isAllowed: Bool
    /// Whole requests that are left at once.
    let remaining: Int64
    /// Requests at once at most.
    let burst: Int64
    /// Seconds until all of them are there again, rounded up.
    let secondsToFull: Int64
  }

  /// Takes one request from the subject's bucket, if there is one.
  func take(_ subject: Subject, at now: Timestamp) -> Standing {
    change(subject, at: now) { bucket, rate in
      let isAllowed = bucket.thousandths >= 1000
      if isAllowed { bucket.thousandths -= 1000 }
      let perSecond = rate.perSecond * 1000
      return Standing(
        isAllowed: isAllowed, remaining: max(0, bucket.thousandths / 1000), burst: rate.burst,
        secondsToFull: (rate.burst * 1000 - bucket.thousandths + perSecond - 1) / perSecond)
    }
  }

  /// Takes one request from the subject's bucket; false when it is empty.
  func allows(_ subject: Subject, at now: Timestamp) -> Bool { take(subject, at: now).isAllowed }

  /// Whether the subject's bucket has a request left; takes none.
  func hasRoom(_ subject: Subject, at now: Timestamp) -> Bool {
    change(subject, at: now) { bucket, _ in bucket.thousandths >= 1000 }
  }

  func giveBack(_ subject: Subject, at now: Timestamp) {
    change(subject, at: now) { bucket, rate in
      bucket.thousandths = min(rate.burst * 1000, bucket.thousandths + 1000)
    }
  }

  /// Charges the subject for a failed check, below zero if necessary, but never more than one burst.
  func chargeForFailedCheck(_ subject: Subject, at now: Timestamp) {
    let cost = min(max(settings.failedCheckCost, 0), 1_000_000)
    change(subject, at: now) { bucket, rate in
      bucket.thousandths = max(-rate.burst * 1000, bucket.thousandths - cost * 1000)
    }
  }

  var count: Int { buckets.withLock { $0.count } }

  private func rate(of subject: Subject) -> RateSettings.Rate {
    switch subject {
    case .peer: settings.peer
    case .notifier: settings.notifications
    case .reserve: settings.reserve
    case .user: settings.user
    case .key: settings.key
    }
  }

  private func change<Value: Sendable>(
    _ subject: Subject, at now: Timestamp, _ body: (inout Bucket, RateSettings.Rate) -> Value
  ) -> Value {
    let rate = rate(of: subject)
    return buckets.withLock { buckets in
      if buckets[subject] == nil, buckets.count >= max(settings.subjectsMax, 1) { forget(&buckets, at: now) }
      var bucket = buckets[subject] ?? Bucket(thousandths: rate.burst * 1000, at: now)
      bucket.fill(rate, at: now)
      let value = body(&bucket, rate)
      buckets[subject] = bucket
      return value
    }
  }

  /// Forgets subjects with full buckets, which loses nothing. If they are less than half of all, it also forgets the
  /// longest idle ones, so that the cost per request stays low.
  private func forget(_ buckets: inout [Subject: Bucket], at now: Timestamp) {
    let countBefore = buckets.count
    buckets = buckets.filter { subject, bucket in
      var bucket = bucket
      let rate = rate(of: subject)
      bucket.fill(rate, at: now)
      return bucket.thousandths < rate.burst * 1000
    }
    guard buckets.count > countBefore / 2 else { return }
    let moments = buckets.values.map(\.at).sorted()
    let middle = moments[moments.count / 2]
    buckets = buckets.filter { $0.value.at > middle }
  }
}
