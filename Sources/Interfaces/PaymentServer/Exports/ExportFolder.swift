import Cryptography
package import PaymentPrimitives
package import StrictJSON

/// The folder of one export. Its functions are handed in, so that the caller decides what a file is.
package struct ExportFolder: Sendable {
  /// A manifest of a thousand files has a quarter of a megabyte and 20,000 values.
  static let manifestLimits = JSONLimits(bytesMax: 16 << 20, valuesMax: 1_000_000)
  /// Says what is being exported, until the manifest is there.
  package static let unfinishedFile = "unfinished.json"

  /// Its name for people.
  package let path: String
  /// The bytes of a file of at most that size; nil if there is none.
  private let read: @Sendable (_ name: String, _ bytesMax: Int) throws -> [UInt8]?
  /// Opens a file for reading in pieces, of which an empty one is the end; nil if there is none.
  private let open: @Sendable (_ name: String) throws -> (@Sendable () throws -> [UInt8])?
  /// Writes a file completely or not at all, and returns once it is durable.
  private let replace: @Sendable (_ name: String, _ bytes: [UInt8]) throws -> Void
  private let remove: @Sendable (_ name: String) throws -> Void
  private let names: @Sendable () throws -> [String]

  package init(
    path: String, read: @escaping @Sendable (_ name: String, _ bytesMax: Int) throws -> [UInt8]?,
    open: @escaping @Sendable (_ name: String) throws -> (@Sendable () throws -> [UInt8])?,
    replace: @escaping @Sendable (_ name: String, _ bytes: [UInt8]) throws -> Void,
    remove: @escaping @Sendable (_ name: String) throws -> Void,
    names: @escaping @Sendable () throws -> [String]
  ) {
    self.path = path
    self.read = read
    self.open = open
    self.replace = replace
    self.remove = remove
    self.names = names
  }

  // MARK: names

  static func part(_ number: Int, of kind: ExportKind, as format: ExportFormat) -> String {
    let digits = "\(number)"
    let zeros = String(repeating: "0", count: max(0, 4 - digits.utf8.count))
    return "\(kind.rawValue)-\(zeros)\(digits).\(format.rawValue)"
  }

  /// Whether a file is a part of an export. A manifest names no other files: they may be removed.
  package static func isPart(_ name: String) -> Bool {
    ExportKind.allCases.contains { kind in
      guard name.hasPrefix(kind.rawValue + "-") else { return false }
      let rest = name.dropFirst(kind.rawValue.count + 1).split(separator: ".", omittingEmptySubsequences: false)
      return rest.count == 2 && rest[0].utf8.count >= 4 && rest[0].utf8.allSatisfy { (0x30...0x39).contains($0) }
        && ExportFormat(rawValue: String(rest[1])) != nil
    }
  }

  /// Whether an export writes such a file; also under the name that a file has until it is complete.
  private static func isOwn(_ name: String) -> Bool {
    var name = name
    if name.hasSuffix(".new") {
      let parts = name.split(separator: ".", omittingEmptySubsequences: false)
      name = parts.dropLast(2).joined(separator: ".")
    }
    return isPart(name) || name == ExportManifest.file || name == unfinishedFile
  }

  private func contents() throws -> [String] { try names().filter { !$0.hasPrefix(".") } }

  // MARK: states

  package func manifest() throws -> ExportManifest? {
    try read(ExportManifest.file, Self.manifestLimits.bytesMax).flatMap { ExportManifest($0) }
  }

  /// Begins an export here, or finds the same one complete.
  ///
  /// - Returns: the manifest of the same export; nil if it is still to be made. The folder has nothing else then.
  /// - Throws: `folderTaken`; `damaged` if the same export is not as it was written.
  func begin(_ request: ExportRequest, at now: Timestamp) throws -> ExportManifest? {
    let names = try contents()
    if let manifest = try manifest() {
      guard manifest.request == request.json else {
        throw CodedError<ExportErrorCode>(.folderTaken, "\(path) has another export.")
      }
      try verify(manifest)
      try remove(Self.unfinishedFile)
      return manifest
    }
    if let strange = names.first(where: { !Self.isOwn($0) }) {
      throw CodedError<ExportErrorCode>(.folderTaken, "\(path) has \(strange).")
    }
    if let begun = try unfinished(), begun.request != request.json {
      throw CodedError<ExportErrorCode>(.folderTaken, "\(path) has another export, which is not complete.")
    }
    // A manifest that cannot be read may belong to an export that is still needed.
    guard !names.contains(ExportManifest.file), names.isEmpty || names.contains(where: Self.isUnfinished) else {
      throw CodedError<ExportErrorCode>(.folderTaken, "\(path) has files of an export without its manifest.")
    }
    let json = JSONValue.members([("begunAt", .string(now.iso8601)), ("request", request.json)])
    try replace(Self.unfinishedFile, Array((json.text + "\n").utf8))
    for name in names where name != Self.unfinishedFile { try remove(name) }
    return nil
  }

  private static func isUnfinished(_ name: String) -> Bool { name.hasPrefix(unfinishedFile) }

  /// What a process that ended was exporting here, and since when.
  package func unfinished() throws -> (begunAt: Timestamp, request: JSONValue)? {
    guard let bytes = try read(Self.unfinishedFile, Self.manifestLimits.bytesMax),
      let json = try? JSONReader.read(bytes, limits: Self.manifestLimits),
      let begunAt = (json["begunAt"]?.string).flatMap({ Timestamp(iso8601: $0) }), let request = json["request"]
    else { return nil }
    return (begunAt, request)
  }

  /// Makes it complete: from now on the folder is an export.
  func end(_ manifest: ExportManifest) throws {
    try verify(manifest)
    try replace(ExportManifest.file, Array((manifest.json.text + "\n").utf8))
    try remove(Self.unfinishedFile)
  }

  func write(_ name: String, _ bytes: [UInt8]) throws { try replace(name, bytes) }

  func removeParts() throws {
    for name in try contents() where name != Self.unfinishedFile && Self.isOwn(name) { try remove(name) }
  }

  /// Removes what an export wrote, the manifest last: an interrupted removal goes on with the next one.
  ///
  /// - Returns: the names of other files, which stay.
  package func removeAll() throws -> [String] {
    let own = try contents().filter(Self.isOwn)
    for name in own where name != ExportManifest.file && name != Self.unfinishedFile { try remove(name) }
    try remove(Self.unfinishedFile)
    try remove(ExportManifest.file)
    return try names()
  }

  // MARK: verification

  /// Reads every file again.
  ///
  /// - Throws: `damaged`, which names the first file that is missing, has changed or is not in the manifest.
  package func verify(_ manifest: ExportManifest) throws {
    for file in manifest.files {
      guard let found = try digest(of: file.name) else {
        throw CodedError<ExportErrorCode>(.damaged, "\(path)/\(file.name) is missing.")
      }
      guard found.bytes == file.bytes, found.sha256 == file.sha256 else {
        throw CodedError<ExportErrorCode>(
          .damaged, "\(path)/\(file.name) has the SHA-256 \(found.sha256), and not \(file.sha256).")
      }
    }
    let known = Set(manifest.files.map(\.name))
    if let more = try contents().first(where: { Self.isPart($0) && !known.contains($0) }) {
      throw CodedError<ExportErrorCode>(.damaged, "\(path)/\(more) is not in the manifest.")
    }
  }

  private func digest(of name: String) throws -> (sha256: String, bytes: Int64)? {
    guard let next = try open(name) else { return nil }
    let digest = RunningDigest(.sha256)
    var bytes: Int64 = 0
    while true {
      let piece = try next()
      guard !piece.isEmpty else { return (digest.finish().hexadecimal, bytes) }
      digest.add(piece)
      bytes += Int64(piece.count)
    }
  }
}
