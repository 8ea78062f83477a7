import Foundation
import PaymentEngine
import PaymentPrimitives
import ServerConfiguration
import SimulationKit

/// Prints what the sources define and pages describe, as JSON for `Tools/Tidy`.
@main struct CatalogProgram: Encodable {
  let errorCodes = ErrorCodeCatalog.entries
  let operatorQueue = OperatorQueueTable.page
  let metrics = Metric.page
  let configuration = [
    "english": ConfigurationReference.pageText(.english), "chinese": ConfigurationReference.pageText(.chinese),
  ]
  let triggers = Scenario.all.map(\.name)

  static func main() throws {
    print(String(decoding: try JSONEncoder().encode(CatalogProgram()), as: UTF8.self))
  }
}
