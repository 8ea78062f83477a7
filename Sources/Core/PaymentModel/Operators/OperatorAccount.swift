package import PaymentPrimitives

/// The subject of an `OperatorName`; never instantiated.
package enum OperatorSubject {}

/// The name of an operator account, unique in the installation.
package typealias OperatorName = Identifier<OperatorSubject>

/// A person who works in the console.
package struct OperatorAccount: Hashable, Sendable {
  /// Stands for every app in `roles`, also for those that the configuration gets later.
  package static let everyApp: AppIdentifier = "*"
  /// Longer names would not fit beside the search field.
  package static let nameBytesMax = 64
  /// An installation has a handful of apps.
  package static let rolesMax = 100

  package let name: OperatorName
  package let createdAt: Timestamp
  /// What they may do, for each app.
  package var roles: [AppIdentifier: OperatorRole]
  /// From then on they cannot sign in, and their sessions count no more.
  package var disabledAt: Timestamp?
  /// The one-time codes of their phone; nil before these are set up.
  package var codes: CodeSetUp?

  package init(name: OperatorName, createdAt: Timestamp, roles: [AppIdentifier: OperatorRole] = [:]) {
    self.name = name
    self.createdAt = createdAt
    self.roles = roles
  }

  /// Their role in an app; the one for that app counts before the one for every app.
  package func role(in app: AppIdentifier) -> OperatorRole? {
    disabledAt == nil ? roles[app] ?? roles[Self.everyApp] : nil
  }

  /// Whether a text can be the name of an account: it is a segment of paths and a word of logs.
  package static func isName(_ text: String) -> Bool {
    (1...nameBytesMax).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || byte == 0x2D || byte == 0x2E || byte == 0x5F || byte == 0x40
      }
  }
}

/// A link that signs an operator in, once. The database keeps the digest of its code only.
package struct SignInLink: Hashable, Sendable {
  /// How long a link may be used.
  package static let lifetime = TimeSpan.minutes(10)

  /// SHA-256 of the code, in hexadecimal.
  package let digest: String
  package let account: OperatorName
  package let createdAt: Timestamp
  package let expiresAt: Timestamp
  package var usedAt: Timestamp?

  package init(digest: String, account: OperatorName, createdAt: Timestamp) {
    self.digest = digest
    self.account = account
    self.createdAt = createdAt
    self.expiresAt = createdAt + Self.lifetime
  }

  package func isUsable(at now: Timestamp) -> Bool { usedAt == nil && now < expiresAt }
}

/// A signed-in browser. The database keeps the digest of its token only.
package struct ConsoleSession: Hashable, Sendable {
  /// Without a call for that long, it ends.
  package static let idleMax = TimeSpan.minutes(60)
  /// It ends after that long in any case.
  package static let ageMax = TimeSpan.hours(12)
  /// How precisely the last call is kept: a busy session costs one write in this time.
  package static let seenPrecision = TimeSpan.minutes(1)
  /// How long a second factor counts for what must be confirmed with one.
  package static let proofMax = TimeSpan.minutes(5)
  /// An account has at most so many at a time; the oldest ends.
  package static let perAccountMax = 5

  /// SHA-256 of the token in the cookie, in hexadecimal.
  package let digest: String
  package let account: OperatorName
  package let createdAt: Timestamp
  package var seenAt: Timestamp
  /// When a second factor was shown last. In the simulated profile a link counts as one.
  package let provedAt: Timestamp
  /// Wrong codes since then.
  package var wrongCodes = 0
  package var endedAt: Timestamp?

  package init(digest: String, account: OperatorName, createdAt: Timestamp, provedAt: Timestamp) {
    self.digest = digest
    self.account = account
    self.createdAt = createdAt
    self.seenAt = createdAt
    self.provedAt = provedAt
  }

  /// The session that follows this one when its operator shows a second factor again: a new token, the same age.
  ///
  /// - Parameter shown: when they showed it, if that was before now.
  package func proved(digest: String, at now: Timestamp, shownAt shown: Timestamp? = nil) -> ConsoleSession {
    var next = ConsoleSession(digest: digest, account: account, createdAt: createdAt, provedAt: shown ?? now)
    next.seenAt = now
    return next
  }

  package func isProved(at now: Timestamp) -> Bool { now - provedAt < Self.proofMax }

  package func isValid(at now: Timestamp) -> Bool {
    endedAt == nil && now - seenAt < Self.idleMax && now - createdAt < Self.ageMax
  }
}
