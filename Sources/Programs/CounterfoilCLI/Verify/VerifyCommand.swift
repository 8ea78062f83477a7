import AppStoreProtocol
import Cryptography
package import PaymentPrimitives

/// `counterfoil verify`: checks evidence against Apple's signatures, offline, and reports the result of each check.
package enum VerifyCommand {
  /// The text for `--help`.
  package static let usage = """
    usage: counterfoil verify [--bundle-id ID [--app-apple-id NUMBER]] [--environment E]... [--root FILE]...
                              [--issuer FILE]... [--device HEX] FILE...

    Verifies App Store evidence offline: signed transactions, renewal information, notifications and app transactions
    (JWS), app receipts and the transaction receipts of iOS 6, alone in a file or inside the JSON in which Apple and
    clients send them. Prints one JSON object a line:

      {"file", "kind", "valid", "failedCheck": code or null, "checks": [{"name", "passed", "detail"}], "facts": {...}}

    "passed" is null for a check that was not made. "facts" holds the payload in Apple's own words, with what is signed
    inside decoded in its place; of evidence that is not valid it is only a claim.

      --bundle-id ID         the app that it must be for
      --app-apple-id NUMBER  its number at Apple, compared in production
      --environment E        one that is accepted: production, sandbox, simulated, xcode, localTesting, undetermined;
                             repeat it for several. xcode and localTesting are not signed by Apple.
      --root FILE            a root beside Apple's, DER or PEM; what it signs is simulated. Repeat it for several.
      --issuer FILE          an authority between a root and the signer of a transaction receipt, which contains none;
                             without it the check anchor fails, and Apple must be asked
      --device HEX           the device that an app receipt must be of: the 16 bytes of identifierForVendor, or the 6 of
                             a Mac's network address
      --json                 as it is without

    Exit codes: 0 all valid, 1 some invalid, 2 unreadable input or wrong usage.

    """

  /// The environment functions that the command needs.
  package struct Platform {
    /// The bytes of a file; the text of the error is shown to the user.
    package var readFile: (String) throws -> [UInt8]
    /// Takes text for the standard output, with its line ends.
    package var print: (String) -> Void
    /// Takes text for the standard error output, with its line ends.
    package var printError: (String) -> Void
    package var now: Timestamp

    package init(
      now: Timestamp, readFile: @escaping (String) throws -> [UInt8], print: @escaping (String) -> Void,
      printError: @escaping (String) -> Void
    ) {
      self.now = now
      self.readFile = readFile
      self.print = print
      self.printError = printError
    }
  }

  /// The limit for evidence: receipts of long-time subscribers reach some megabytes.
  static let fileBytesMax = 16 << 20

  /// Runs the command with the arguments after `verify`.
  ///
  /// - Returns: the exit code.
  package static func run(arguments: [String], platform: Platform) -> Int32 {
    let options: VerifyOptions
    do throws(UsageError) {
      options = try VerifyOptions(arguments)
    } catch {
      platform.printError("counterfoil verify: \(error.message)\n\n\(usage)")
      return 2
    }
    if options.isHelp {
      platform.print(usage)
      return 0
    }
    let verifiers: Verifiers
    do throws(UsageError) {
      verifiers = try self.verifiers(options, platform)
    } catch {
      platform.printError("counterfoil verify: \(error.message)\n")
      return 2
    }
    var isUnreadable = false
    var isInvalid = false
    for file in options.files {
      guard let bytes = read(file, platform) else {
        isUnreadable = true
        continue
      }
      for piece in EvidencePiece.pieces(of: bytes) {
        let report = VerifyReport(piece, verifiers, expectations: options.expectations, at: platform.now)
        platform.print(report.line(file: file) + "\n")
        if !report.isValid { isInvalid = true }
      }
    }
    return isUnreadable ? 2 : isInvalid ? 1 : 0
  }

  private static func read(_ file: String, _ platform: Platform) -> [UInt8]? {
    do {
      let bytes = try platform.readFile(file)
      if bytes.count <= fileBytesMax { return bytes }
      platform.printError("counterfoil verify: \(file) is larger than \(fileBytesMax) bytes.\n")
    } catch {
      platform.printError("counterfoil verify: \(file) cannot be read: \(error)\n")
    }
    return nil
  }

  private static func certificates(_ file: String, _ platform: Platform) throws(UsageError) -> [X509Certificate] {
    guard let bytes = read(file, platform) else { throw UsageError("no certificate from \(file).") }
    do {
      return try X509Certificate.certificates(inFile: bytes)
    } catch {
      throw UsageError("\(file) is no certificate in DER or PEM: \(error)")
    }
  }

  private static func verifiers(_ options: VerifyOptions, _ platform: Platform) throws(UsageError) -> Verifiers {
    var configuration = SignedDataConfiguration(profile: .development)
    for file in options.roots { configuration.anchors += try certificates(file, platform) }
    var intermediates: [X509Certificate] = []
    for file in options.issuers { intermediates += try certificates(file, platform) }
    for environment in SignedDataConfiguration.UnsignedEnvironment.allCases
    where options.expectations.environments?.contains(environment.environment) == true {
      configuration.unsignedEnvironments.insert(environment)
    }
    var limits = SignedDataLimits()
    // The users chose the files themselves, so there is no flood to limit.
    limits.unknownChainsBurst = .max
    do {
      return Verifiers(
        signedData: try SignedDataVerifier(configuration, limits: limits),
        receipts: try ReceiptVerifier(configuration, limits: limits, intermediates: intermediates),
        device: options.device)
    } catch {
      throw UsageError("\(error)")
    }
  }
}
