public import CounterfoilAPI
import HTTPMessages
import StrictJSON
import Synchronization

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension ScriptedBackend {
  /// What the device reported of orders that were nearly lost; a repeated report is here once.
  public var diagnosticReports: [ReportDiagnostics.Request] { state.withLock(\.diagnostics) }

  func takeDiagnostics(_ json: JSONValue, state: inout State) -> HTTPResponse {
    guard let report = try? ReportDiagnostics.Request(json: json) else {
      return Self.problem(422, "field_invalid")
    }
    let isNew = !state.diagnostics.contains { $0.id == report.id }
    if isNew { state.diagnostics.append(report) }
    return HTTPResponse(status: 200, json: .members([("counted", .bool(isNew))]))
  }
}
