/// The languages for which `counterfoil receiver code` prints a receiver.
package enum ReceiverCode: String, CaseIterable, Sendable {
  case swift, java, go, node, python, php, ruby, csharp, rust

  static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

  /// The languages whose code our tests run.
  package static let tested: Set<ReceiverCode> = [.swift, .java, .go, .node, .python, .php, .ruby]

  /// A whole program.
  package var text: String {
    let text =
      switch self {
      case .swift: ReceiverInSwift.text
      case .java: ReceiverInJava.text
      case .go: ReceiverInGo.text
      case .node: ReceiverInNode.text
      case .python: ReceiverInPython.text
      case .php: ReceiverInPHP.text
      case .ruby: ReceiverInRuby.text
      case .csharp: ReceiverInCSharp.text
      case .rust: ReceiverInRust.text
      }
    return text + "\n"
  }
}
