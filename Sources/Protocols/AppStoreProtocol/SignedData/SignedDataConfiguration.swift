package import Cryptography
package import PaymentPrimitives

/// The trust settings of a verifier for its whole lifetime. `SignedDataExpectations` holds the expectations of one
/// call.
package struct SignedDataConfiguration: Sendable {
  package enum Profile: Sendable {
    /// Real money: only Apple's signatures are accepted.
    case production
    case development
  }

  /// Environments with data that Apple does not sign.
  package enum UnsignedEnvironment: String, CaseIterable, Sendable {
    case xcode
    case localTesting

    /// The resulting environment of such a payload.
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
  /// Roots besides Apple's. Data signed under them is `simulated`, whatever it claims.
  package var anchors: [X509Certificate]
  /// Environments that are accepted without a signature.
  package var unsignedEnvironments: Set<UnsignedEnvironment>
  /// Whether issuers are asked if they have revoked a certificate.
  package var revocationCheck = RevocationCheck.off

  #if DEBUG
    /// Whether `anchors` count as Apple's own roots, so that their data is production or sandbox. A simulation needs
    /// this to show production behaviour. Release builds do not contain it, and code outside this package cannot use
    /// it.
    package var takesAnchorsForApple = false
  #endif

  package static let production = SignedDataConfiguration(profile: .production)

  /// A configuration; by default, it trusts only Apple's roots.
  package init(
    profile: Profile, anchors: [X509Certificate] = [],
    unsignedEnvironments: Set<UnsignedEnvironment> = []
  ) {
    self.profile = profile
    self.anchors = anchors
    self.unsignedEnvironments = unsignedEnvironments
  }

  /// Fails if a production profile contains unsafe settings. With a forgotten test root, every owner of its key could
  /// forge purchases.
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

  /// Whether data under that root may state its own environment, production or sandbox.
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

/// The expectations of one call about the signed data.
package struct SignedDataExpectations: Sendable {
  /// The accepted apps; nil accepts any app.
  package var apps: [AppIdentity]?
  /// The accepted environments; nil accepts any environment.
  ///
  /// Data that Apple signed until 2022 states no environment and is `undetermined`. Include that value to keep such
  /// data until Apple has been asked.
  package var environments: Set<StoreEnvironment>?

  /// Expectations; nil means that there is no expectation.
  package init(apps: [AppIdentity]? = nil, environments: Set<StoreEnvironment>? = nil) {
    self.apps = apps
    self.environments = environments
  }
}

/// An app by Apple's identifiers.
package struct AppIdentity: Hashable, Sendable {
  package var bundleId: String
  /// Apple's number of the app, compared in production only; nil if unknown.
  package var appAppleId: Int64?

  /// An app by its bundle id and number.
  package init(bundleId: String, appAppleId: Int64? = nil) {
    self.bundleId = bundleId
    self.appAppleId = appAppleId
  }
}

/// The limits of verification, each with its reason.
package struct SignedDataLimits: Hashable, Sendable {
  /// The maximum of bytes of a token. Genuine notifications reach 19 kB.
  package var bytesMax = 256 << 10
  /// The maximum of bytes of a receipt's text. A receipt with 187 purchases has 105 kB; those of long-time subscribers
  /// reach megabytes.
  package var receiptBytesMax = 8 << 20
  /// The maximum that our clock may be behind Apple's.
  package var clockSkew = TimeSpan.seconds(60)
  /// The maximum of good chains in the cache. Apple uses one or two at a time; old evidence adds one for every second
  /// year.
  package var knownChainsMax = 32
  /// The maximum of rejected headers in the cache, so that a repeated one costs only a look-up.
  package var refusedHeadersMax = 256
  /// The maximum of bytes of a cached header; Apple's have 4.4 kB.
  package var rememberedHeaderBytesMax = 16 << 10
  /// How long a chain stays in the cache, unless it expires earlier.
  package var knownChainLifetime = TimeSpan.hours(24)
  /// The burst of unknown chains that may be examined. One examination costs about 2 ms of a core.
  package var unknownChainsBurst = 128
  /// The sustained rate of examinations of unknown chains per second: about 3 % of a core.
  package var unknownChainsPerSecond = 16
  /// The burst of unknown chains of one sender: a device sends one, the App Store two.
  package var chainsPerSenderBurst = 8
  /// The sustained rate of unknown chains of one sender per second.
  package var chainsPerSenderPerSecond = 1
  /// The extra cost of a forged chain, in chains: its sender waits that many seconds for the next examination.
  package var falseChainCost: Int64 = 8
  /// The maximum of senders in memory.
  package var sendersMax = 10_000
  /// The maximum of saved digests of good chains, which survive restarts: those of ten years.
  package var goodChainsMax = 64

  package init() {}
}
