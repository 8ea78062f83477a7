package import Cryptography
package import PaymentPrimitives

/// Whom a verifier trusts, for its whole life. What one call expects stands in `SignedDataExpectations`.
package struct SignedDataConfiguration: Sendable {
  package enum Profile: Sendable {
    /// Real money: Apple's signatures and nothing else.
    case production
    case development
  }

  /// Environments whose data Apple does not sign.
  package enum UnsignedEnvironment: String, CaseIterable, Sendable {
    case xcode
    case localTesting

    /// The environment that such a payload belongs to.
    package var environment: StoreEnvironment {
      switch self {
      case .xcode: .xcode
      case .localTesting: .localTesting
      }
    }

    var word: AppStoreEnvironment {
      switch self {
      case .xcode: .xcode
      case .localTesting: .localTesting
      }
    }
  }

  package var profile: Profile
  /// Roots beside Apple's. What they sign is `simulated`, whatever it says of itself.
  package var anchors: [X509Certificate]
  /// Environments to be taken without signature.
  package var unsignedEnvironments: Set<UnsignedEnvironment>

  #if DEBUG
    /// Whether `anchors` count as Apple's own roots, so that what they sign is production or sandbox: how a simulated
    /// world shows a shop at home in production. Not there in release builds, and nothing outside this package can ask
    /// for it.
    package var takesAnchorsForApple = false
  #endif

  package static let production = SignedDataConfiguration(profile: .production)

  /// A configuration; without anything said it trusts Apple's roots alone.
  package init(
    profile: Profile, anchors: [X509Certificate] = [],
    unsignedEnvironments: Set<UnsignedEnvironment> = []
  ) {
    self.profile = profile
    self.anchors = anchors
    self.unsignedEnvironments = unsignedEnvironments
  }

  /// Refuses what must not be in a production profile: a forgotten test root would let anybody with its key print
  /// money.
  func checked() throws(CodedError<SignedDataErrorCode>) -> SignedDataConfiguration {
    if profile == .production, !anchors.isEmpty {
      throw CodedError(.unsafeConfiguration, "It names \(anchors.count) roots beside Apple's.")
    }
    if profile == .production, !unsignedEnvironments.isEmpty {
      let names = unsignedEnvironments.map(\.rawValue).sorted().joined(separator: ", ")
      throw CodedError(.unsafeConfiguration, "It accepts unsigned data from \(names).")
    }
    return self
  }

  /// Whether data of that root may say for itself whether it is of production or of the sandbox.
  func isApple(_ anchor: CertificateChain.Anchor?) -> Bool {
    switch anchor {
    case .apple: return true
    case nil: return false
    case .configured:
      #if DEBUG
        return takesAnchorsForApple && profile == .development
      #else
        return false
      #endif
    }
  }
}

/// What one call expects of signed data.
package struct SignedDataExpectations: Sendable {
  /// The apps that it may be for; nil when that is not asked.
  package var apps: [AppIdentity]?
  /// The environments that are accepted; nil when that is not asked.
  ///
  /// Data signed by Apple until 2022 says nothing of its environment and is `undetermined`: who wants to keep it
  /// until Apple has been asked lists that.
  package var environments: Set<StoreEnvironment>?

  /// Expectations; what is not said is not asked.
  package init(apps: [AppIdentity]? = nil, environments: Set<StoreEnvironment>? = nil) {
    self.apps = apps
    self.environments = environments
  }
}

/// An app as Apple names it.
package struct AppIdentity: Hashable, Sendable {
  package var bundleId: String
  /// Apple's number of the app, compared in production only; nil when it is not known.
  package var appAppleId: Int64?

  /// An app by its bundle id and number.
  package init(bundleId: String, appAppleId: Int64? = nil) {
    self.bundleId = bundleId
    self.appAppleId = appAppleId
  }
}

/// The bounds of verification, each with its reason.
package struct SignedDataLimits: Hashable, Sendable {
  /// Bytes of a token. Genuine notifications reach 19 kB.
  package var bytesMax = 256 << 10
  /// Bytes of a receipt's text. One with 187 purchases has 105 kB; those of old subscribers reach megabytes.
  package var receiptBytesMax = 8 << 20
  /// How far our clock may be behind Apple's.
  package var clockSkew = TimeSpan.seconds(60)
  /// Chains that are remembered as good. Apple uses one or two at a time; old evidence adds one for every second year.
  package var knownChainsMax = 32
  /// Headers that are remembered as bad, so that repeating one costs a look-up.
  package var refusedHeadersMax = 256
  /// Bytes of a header that is remembered; Apple's have 4.4 kB.
  package var rememberedHeaderBytesMax = 16 << 10
  /// How long a chain is remembered, if it does not expire before.
  package var knownChainLifetime = TimeSpan.hours(24)
  /// Unknown chains that may be examined at once. An examination costs about 2 ms of a core.
  package var unknownChainsBurst = 128
  /// Unknown chains that may be examined each second in the long run: some 3 % of a core.
  package var unknownChainsPerSecond = 16
  /// Unknown chains of one sender that may be examined at once: a phone sends one, a store two.
  package var chainsPerSenderBurst = 8
  /// Unknown chains of one sender that may be examined each second in the long run.
  package var chainsPerSenderPerSecond = 1
  /// How many more chains a false one counts for: its sender waits that many seconds for the next.
  package var falseChainCost: Int64 = 8
  /// Senders that are remembered at a time.
  package var sendersMax = 10_000
  /// Chains found good whose digests are kept beyond the end of the program: those of ten years.
  package var goodChainsMax = 64

  package init() {}
}
