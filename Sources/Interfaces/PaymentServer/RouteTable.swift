import HTTPMessages

/// Finds the routes of a path without looking at all of them. It is built once.
///
/// A tree of the segments: each node has its literal children and at most one child for any text.
struct RouteTable: Sendable {
  /// The table of all routes of the server.
  static let all = RouteTable(Routes.all)

  private struct Node: Sendable {
    var literals: [String: Int] = [:]
    var parameter: Int?
    /// Positions of the routes that end here, in the order of the table.
    var routes: [Int] = []
  }

  /// A route of a path, with the path's parameters.
  typealias Match = (route: Route, parameters: [String: String])

  private let routes: [Route]
  private var nodes = [Node()]
  /// The routes of paths without parameters, by the whole target: nothing has to be split for them.
  private var plain: [String: (target: RequestTarget, matches: [Match])] = [:]

  init(_ routes: [Route]) {
    self.routes = routes
    for (position, route) in routes.enumerated() {
      var node = 0
      for segment in route.pattern {
        switch segment {
        case .literal(let text): node = child(of: node, at: \.literals[text])
        case .parameter: node = child(of: node, at: \.parameter)
        }
      }
      nodes[node].routes.append(position)
    }
    for path in Set(routes.lazy.filter(\.parameters.isEmpty).map(\.path)) {
      guard let target = RequestTarget(path), let asked = PathAsked(path, target) else { continue }
      plain[path] = (target, find(asked))
    }
  }

  /// The routes of a target that is the path of a route without parameters, to the byte, and has no query.
  func plain(_ target: String) -> (target: RequestTarget, matches: [Match])? {
    // Texts are equal if they are canonically equivalent. The paths of routes are ASCII, which has no other form.
    plain[target]
  }

  private mutating func child(of node: Int, at place: WritableKeyPath<Node, Int?>) -> Int {
    if let child = nodes[node][keyPath: place] { return child }
    nodes.append(Node())
    nodes[node][keyPath: place] = nodes.count - 1
    return nodes.count - 1
  }

  /// The routes of a path with its parameters, in the order of the table; one for each method. A path with more literal
  /// parts has priority.
  func find(_ path: PathAsked) -> [Match] {
    var positions: [Int] = []
    collect(from: 0, path.decoded[...], into: &positions)
    if positions.count > 1 { positions.sort() }
    // A literal must be sent exactly: the route itself compares the bytes.
    let found = positions.compactMap { position in
      routes[position].match(path).map { (route: routes[position], parameters: $0) }
    }
    guard found.count > 1 else { return found }
    // `orders/lookup` is not the order with that name.
    let fewest = found.map(\.parameters.count).min()
    return found.filter { $0.parameters.count == fewest }
  }

  private func collect(from node: Int, _ rest: ArraySlice<String>, into positions: inout [Int]) {
    guard let segment = rest.first else {
      positions += nodes[node].routes
      return
    }
    if let child = nodes[node].literals[segment] { collect(from: child, rest.dropFirst(), into: &positions) }
    if let child = nodes[node].parameter { collect(from: child, rest.dropFirst(), into: &positions) }
  }
}
