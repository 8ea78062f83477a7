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

  private let routes: [Route]
  private var nodes = [Node()]

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
  }

  private mutating func child(of node: Int, at place: WritableKeyPath<Node, Int?>) -> Int {
    if let child = nodes[node][keyPath: place] { return child }
    nodes.append(Node())
    nodes[node][keyPath: place] = nodes.count - 1
    return nodes.count - 1
  }

  /// The routes of a path with its parameters, in the order of the table; one for each method. A path with more literal
  /// parts has priority.
  func find(_ path: PathAsked) -> [(route: Route, parameters: [String: String])] {
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
