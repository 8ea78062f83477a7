import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON

/// What the control API of the App Store controls.
struct ControlledAppStore: Sendable {
  let store: SimulatedAppStore
  let settings: SimulatorSettings
}

typealias ControlCall = SimulatorCore.ControlCall<ControlledAppStore, SimulatorErrorCode>
typealias ControlRoute = SimulatorCore.ControlRoute<ControlledAppStore, SimulatorErrorCode>

/// The routes, in several files by subject.
enum ControlRoutes {}

extension ControlCall {
  var store: SimulatedAppStore { simulator.store }
  var settings: SimulatorSettings { simulator.settings }

  /// The transaction in the path.
  func transactionId() throws(CodedError<SimulatorErrorCode>) -> TransactionIdentifier {
    guard let text = parameters["transactionId"].flatMap(Names.number) else { throw CodedError(.transactionUnknown) }
    return TransactionIdentifier(text)
  }

  /// One page of a list. A `limit` that is no number counts as none.
  func page<Item>(
    _ name: String, of items: [Item], id: (Item) -> String, json: (Item) -> JSONValue
  ) throws(CodedError<SimulatorErrorCode>) -> HTTPResponse {
    try page(name, of: items, limit: target["limit"].flatMap { Int($0) } ?? 100, id: id, json: json)
  }

  static var pageQuery: [(name: String, meaning: String)] {
    [("after?", "the id of the last item of the page before"), ("limit?", "1 to 500, otherwise 100")]
  }
}
