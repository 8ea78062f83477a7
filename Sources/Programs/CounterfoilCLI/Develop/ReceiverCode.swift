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

  /// A whole program that pulls the feed of events, for a backend that has no address. It keeps its place.
  package var feedText: String {
    let text =
      switch self {
      case .swift: FeedInSwift.text
      case .java: FeedInJava.text
      case .go: FeedInGo.text
      case .node: FeedInNode.text
      case .python: FeedInPython.text
      case .php: FeedInPHP.text
      case .ruby: FeedInRuby.text
      case .csharp: FeedInCSharp.text
      case .rust: FeedInRust.text
      }
    return text + "\n"
  }
}
