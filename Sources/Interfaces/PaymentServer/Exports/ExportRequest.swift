package import PaymentPrimitives
package import StrictJSON

/// What an export is asked for. Two exports of the same request have the same columns, in the same order.
package struct ExportRequest: Hashable, Sendable {
  /// Grows when columns change.
  static let schema: Int64 = 1

  /// Without doubles, in the order of `ExportKind.allCases`.
  package let kinds: [ExportKind]
  package let format: ExportFormat
  /// The times of the rows.
  package let span: Range<Timestamp>
  package let appEnvironments: [AppEnvironment]
  /// Whether the audit log has also the entries that concern no app, or another one.
  package let hasWholeAuditLog: Bool

  package init(
    kinds: Set<ExportKind>, format: ExportFormat, span: Range<Timestamp>, appEnvironments: [AppEnvironment],
    hasWholeAuditLog: Bool
  ) {
    self.kinds = ExportKind.allCases.filter { kinds.contains($0) }
    self.format = format
    self.span = span
    self.appEnvironments = Set(appEnvironments).sorted()
    self.hasWholeAuditLog = hasWholeAuditLog
  }

  /// The apps whose users can be in it.
  var apps: Set<AppIdentifier>? { hasWholeAuditLog ? nil : Set(appEnvironments.map(\.app)) }

  /// How the manifest tells it.
  package var json: JSONValue {
    .members([
      ("schema", .integer(Self.schema)), ("kinds", .array(kinds.map { .string($0.rawValue) })),
      ("format", .string(format.rawValue)), ("from", .string(span.lowerBound.iso8601)),
      ("until", .string(span.upperBound.iso8601)),
      (
        "apps",
        .array(
          appEnvironments.map {
            .members([("app", .string($0.app.text)), ("environment", .string($0.environment.rawValue))])
          })
      ), ("wholeAuditLog", .bool(hasWholeAuditLog)),
    ])
  }

  /// Reads a moment, or a day of Beijing time as its first moment; nil for anything else.
  package static func moment(_ text: String) -> Timestamp? {
    if let moment = Timestamp(iso8601: text) { return moment }
    return text.utf8.count == 10 ? Timestamp(iso8601: text + "T00:00:00+08:00") : nil
  }
}
