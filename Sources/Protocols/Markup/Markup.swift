/// A piece of an HTML page as a value.
///
/// Text and attributes are escaped when they are written. No initializer takes written HTML. So the text of a customer
/// cannot become an element, an attribute or a script.
package struct Markup: Hashable, Sendable {
  indirect enum Node: Hashable, Sendable {
    case text(String)
    case element(HTMLTag, [HTMLAttribute], [Node])
  }

  var nodes: [Node]

  /// Nothing.
  package init() { nodes = [] }

  init(_ nodes: [Node]) { self.nodes = nodes }

  /// Pieces behind each other.
  package init(_ pieces: [Markup]) { nodes = pieces.flatMap(\.nodes) }

  /// Our own words.
  package static func text(_ text: String) -> Markup { Markup([Node.text(text)]) }

  /// Text from outside: its direction cannot change that of the words around it.
  package static func foreign(_ text: String) -> Markup { element(.bdi, .text(text)) }

  /// An element with its content.
  package static func element(
    _ tag: HTMLTag, _ attributes: [HTMLAttribute] = [], _ content: Markup...
  ) -> Markup { Markup([.element(tag, attributes, content.flatMap(\.nodes))]) }

  /// An element with its content, without attributes.
  package static func element(_ tag: HTMLTag, _ content: Markup...) -> Markup {
    Markup([.element(tag, [], content.flatMap(\.nodes))])
  }

  /// An element with a list of pieces as its content.
  package static func element(_ tag: HTMLTag, _ attributes: [HTMLAttribute] = [], all content: [Markup]) -> Markup {
    Markup([.element(tag, attributes, content.flatMap(\.nodes))])
  }

  package static func + (first: Markup, second: Markup) -> Markup { Markup(first.nodes + second.nodes) }

  package var isEmpty: Bool { nodes.isEmpty }
}

extension Markup: ExpressibleByStringLiteral {
  package init(stringLiteral value: StaticString) { self.init([Node.text(value.description)]) }
}
