package import PaymentDatabase
import PaymentModel
package import PaymentPrimitives
package import StrictJSON

/// What an export contains: `manifest.json`. It is written last, so a folder without it has no complete export.
package struct ExportManifest: Hashable, Sendable {
  package static let file = "manifest.json"
  static let format: Int64 = 1

  /// One file of an export.
  package struct File: Hashable, Sendable {
    package let name: String
    package let kind: String
    /// Without the line of columns.
    package let rows: Int64
    package let bytes: Int64
    /// In hexadecimal.
    package let sha256: String
    /// Sums by currency or unit; without one that leaves 64 bits.
    package let sums: [String: Int64]
  }

  /// The version of the program that made it.
  package let program: String
  /// `ExportRequest.json`.
  package let request: JSONValue
  /// The moment of the state that all its rows are of.
  package let takenAt: Timestamp
  /// When it may be removed.
  package let keptUntil: Timestamp
  package let erasures: ErasuresOfExport
  package let files: [File]

  package init(
    program: String, request: JSONValue, takenAt: Timestamp, keptUntil: Timestamp, erasures: ErasuresOfExport,
    files: [File]
  ) {
    self.program = program
    self.request = request
    self.takenAt = takenAt
    self.keptUntil = keptUntil
    self.erasures = erasures
    self.files = files
  }

  package var rows: Int64 { files.reduce(0) { $0 + $1.rows } }

  /// The apps whose erasures count; nil: all.
  package var apps: Set<AppIdentifier>? {
    guard request["wholeAuditLog"]?.bool == false else { return nil }
    return Set((request["apps"]?.array ?? []).compactMap { $0["app"]?.string.map { AppIdentifier($0) } })
  }

  package var json: JSONValue {
    .members([
      ("format", .integer(Self.format)), ("program", .string(program)), ("takenAt", .string(takenAt.iso8601)),
      ("keptUntil", .string(keptUntil.iso8601)), ("request", request),
      (
        "erasures",
        .members([
          ("count", .integer(erasures.count)), ("lastDoneAt", erasures.lastDoneAt.map { .string($0.iso8601) }),
        ])
      ), ("files", .array(files.map(\.json))),
    ])
  }

  /// Reads a manifest of this format; nil if it is none.
  package init?(_ text: [UInt8]) {
    guard let json = try? JSONReader.read(text, limits: ExportFolder.manifestLimits),
      json["format"]?.integer == Self.format,
      let program = json["program"]?.string, let request = json["request"],
      let takenAt = (json["takenAt"]?.string).flatMap({ Timestamp(iso8601: $0) }),
      let keptUntil = (json["keptUntil"]?.string).flatMap({ Timestamp(iso8601: $0) }),
      let count = json["erasures"]?["count"]?.integer, let list = json["files"]?.array
    else { return nil }
    let files = list.compactMap { File($0) }
    guard files.count == list.count else { return nil }
    let lastDoneAt = (json["erasures"]?["lastDoneAt"]?.string).flatMap { Timestamp(iso8601: $0) }
    self.init(
      program: program, request: request, takenAt: takenAt, keptUntil: keptUntil,
      erasures: ErasuresOfExport(count: count, lastDoneAt: lastDoneAt), files: files)
  }
}

extension ExportManifest.File {
  var json: JSONValue {
    .members([
      ("name", .string(name)), ("kind", .string(kind)), ("rows", .integer(rows)), ("bytes", .integer(bytes)),
      ("sha256", .string(sha256)),
      ("sums", .members(sums.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) })),
    ])
  }

  init?(_ json: JSONValue) {
    guard let name = json["name"]?.string, let kind = json["kind"]?.string, let rows = json["rows"]?.integer,
      let bytes = json["bytes"]?.integer, let sha256 = json["sha256"]?.string, ExportFolder.isPart(name)
    else { return nil }
    var sums: [String: Int64] = [:]
    for member in json["sums"]?.object ?? [] { sums[member.name] = member.value.integer }
    self.init(name: name, kind: kind, rows: rows, bytes: bytes, sha256: sha256, sums: sums)
  }
}

/// Which erasures were done when an export was made. Whoever is erased later is still in it under their own id.
package struct ErasuresOfExport: Hashable, Sendable {
  package let count: Int64
  package let lastDoneAt: Timestamp?

  package init(count: Int64, lastDoneAt: Timestamp?) {
    self.count = count
    self.lastDoneAt = lastDoneAt
  }

  /// Counts them in a database.
  ///
  /// - Parameter apps: nil: of all apps.
  package init(of apps: Set<AppIdentifier>?, in reader: any DatabaseReader, page: Int = ExportLimits.page) throws {
    var (count, lastDoneAt, last): (Int64, Timestamp?, UserErasure?) = (0, nil, nil)
    while true {
      let found = try reader.erasures(after: last, limit: page)
      for erasure in found where apps?.contains(erasure.app) ?? true {
        guard let doneAt = erasure.doneAt else { continue }
        count += 1
        lastDoneAt = max(lastDoneAt ?? doneAt, doneAt)
      }
      guard found.count == page, let end = found.last else { break }
      last = end
    }
    self.init(count: count, lastDoneAt: lastDoneAt)
  }
}

/// How large the parts of an export become.
package struct ExportLimits: Sendable {
  /// Rows that one query reads.
  package static let page = 500

  /// A spreadsheet opens so many rows.
  package var rowsMax: Int64 = 200_000
  /// A part is written at once, so this bounds the memory.
  package var bytesMax = 8 << 20
  package var page = ExportLimits.page

  package init() {}
}
