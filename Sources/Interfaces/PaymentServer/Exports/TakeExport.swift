package import PaymentDatabase
package import PaymentPrimitives

/// Makes an export: every row of it is of one state of the database.
package struct TakeExport: Sendable {
  private let request: ExportRequest
  private let folder: ExportFolder
  private let program: String
  private let kept: TimeSpan
  private let now: @Sendable () -> Timestamp
  private let limits: ExportLimits

  /// - Parameters:
  ///   - program: the version that the manifest names.
  ///   - kept: how long it is kept.
  package init(
    _ request: ExportRequest, into folder: ExportFolder, by program: String, kept: TimeSpan,
    limits: ExportLimits = ExportLimits(), now: @escaping @Sendable () -> Timestamp
  ) {
    self.request = request
    self.folder = folder
    self.program = program
    self.kept = kept
    self.limits = limits
    self.now = now
  }

  /// Reads page by page and writes part by part. A repetition of an interrupted export begins anew; one of a complete
  /// export verifies it.
  ///
  /// - Returns: also whether this call made it.
  /// - Throws: `CodedError` of `ExportErrorCode`, of the database, or of the folder. There is no manifest then.
  package func run(on database: any ReadableDatabase) async throws -> (manifest: ExportManifest, isNew: Bool) {
    let takenAt = now()
    if let complete = try folder.begin(request, at: takenAt) { return (complete, false) }
    let (request, folder, limits) = (request, folder, limits)
    let (files, erasures) = try await database.read { reader -> ([ExportManifest.File], ErasuresOfExport) in
      // A database may run the closure again: nothing of the run before may stay.
      try folder.removeParts()
      let reading = ExportReading(reader: reader, request: request, page: limits.page)
      var writer = ExportWriter(into: folder, as: request.format, limits)
      for kind in request.kinds {
        writer.begin(kind)
        try reading.each(kind) { try writer.add($0) }
        try writer.endPart()
      }
      return (writer.files, try ErasuresOfExport(of: request.apps, in: reader, page: limits.page))
    }
    let manifest = ExportManifest(
      program: program, request: request.json, takenAt: takenAt, keptUntil: takenAt + kept, erasures: erasures,
      files: files)
    try folder.end(manifest)
    return (manifest, true)
  }
}

extension ExportManifest {
  /// - Throws: `beforeErasure` if users were erased since it was made: it has them under their own ids.
  package func requireErasures(of database: any ReadableDatabase) async throws {
    let (apps, page) = (apps, ExportLimits.page)
    let found = try await database.read { try ErasuresOfExport(of: apps, in: $0, page: page) }
    guard found == erasures else {
      throw CodedError<ExportErrorCode>(
        .beforeErasure, "At the time of the export \(erasures.count) were done, and now \(found.count).")
    }
  }
}
