/// The layers are the folders of `Sources/`: what each may see is this table (ARCHITECTURE.md, “Layers”).
package enum LayerRule {
  /// The layers in the order of the drawing, the programs first.
  static let layers = [
    "Programs", "Platform", "Simulators", "Client", "Interfaces", "Services", "Protocols", "Core", "C",
  ]

  private static let seen: [String: Set<String>] = [
    "Core": ["Core"],
    "Protocols": ["Core", "Protocols"],
    "Services": ["Core", "Protocols", "Services"],
    "Interfaces": ["Core", "Protocols", "Services", "Interfaces"],
    "Client": ["Core", "Protocols", "Client"],
    "Simulators": ["Core", "Protocols", "Simulators"],
    "Platform": ["Core", "Protocols", "Platform"],
    "Programs": ["Core", "Protocols", "Services", "Interfaces", "Client", "Simulators", "Platform", "Programs"],
    "C": ["C"],
  ]

  /// Apps cannot verify what a store signs, and need no key: the client sees the wire and nothing else of `Protocols`.
  private static let protocolsOfClients: Set<String> = ["HTTPMessages", "CounterfoilAPI"]

  /// In `Services` a store's modules are for that store's modules: the engine knows stores by a protocol alone.
  private static let stores = ["AppStore", "WeChatPay"]

  /// They run whole systems in one process, so they see every layer but the platform and the programs.
  private static let seeingAll: Set<String> = ["SimulationKit"]

  /// Each C library stands behind one Swift module; shims may stand on another library.
  static let owners: [String: Set<String>] = [
    "COpenSSL": ["Cryptography", "CHTTPServer"], "CSQLite": ["SQLiteDatabase", "CJoinedWrites", "CFaultyDisk"],
    "CJoinedWrites": ["SQLiteDatabase"], "CPostgreSQL": ["PostgreSQLDatabase"], "CCurl": ["HTTPClient"],
    "CHTTPServer": ["HTTPServer", "FuzzedParsers"], "CTOML": ["TOMLConfiguration"], "CZlib": ["WeChatPayProtocol"],
    "CTaskHook": ["SimulationKit"], "CBuildInformation": ["CounterfoilCLI"],
    "CMimalloc": ["ProgramPlatform"],
  ]

  static let frameworkShims = "Sources/Simulators/AppleFrameworkShims/"

  /// The layer of a target of `Sources/`: the folder that it lies in; nil for others.
  package static func layer(of target: Manifest.Target) -> String? {
    let parts = target.path.split(separator: "/").map(String.init)
    if isBesideSources(target) { return "Client" }
    return parts.count > 2 && parts[0] == "Sources" && seen[parts[1]] != nil ? parts[1] : nil
  }

  /// What an app begins from, and the half of a plug-in that an app builds: neither is a module of `Sources/`.
  private static func isBesideSources(_ target: Manifest.Target) -> Bool {
    target.path.hasPrefix("Examples/Shop") || target.path.hasPrefix("Clients/")
  }

  /// Dependencies that go up or across, and targets of `Sources/` that lie in no layer.
  package static func problems(in manifest: Manifest) -> [String] {
    let targets = Dictionary(manifest.targets.map { ($0.name, $0) }) { first, _ in first }
    return manifest.targets.sorted { $0.name < $1.name }.flatMap { target -> [String] in
      if target.path.hasPrefix("Tests/") { return ownerProblems(target) }
      guard let layer = layer(of: target) else { return ["\(target.name) lies in no layer: \(target.path)"] }
      return ownerProblems(target)
        + target.dependencies.sorted().compactMap { name in
          guard let other = targets[name], let below = Self.layer(of: other), below != "C" else { return nil }
          return mayReach(other, below, from: target, layer)
            ? nil : "\(target.name) (\(layer)) must not reach \(name) (\(below))"
        }
    }
  }

  private static func mayReach(
    _ other: Manifest.Target, _ below: String, from target: Manifest.Target, _ layer: String
  ) -> Bool {
    // The adapters of the client compile over modules that bear the names of Apple's frameworks.
    if other.path.hasPrefix(frameworkShims) {
      return layer == "Client" || target.path.hasPrefix(frameworkShims)
    }
    if seeingAll.contains(target.name) { return below != "Platform" && below != "Programs" }
    if layer == "Client", below == "Protocols" { return protocolsOfClients.contains(other.name) }
    if layer == "Services",
      stores.contains(where: { other.name.hasPrefix($0) && !target.name.hasPrefix($0) })
    {
      return false
    }
    return seen[layer]?.contains(below) == true
  }

  private static func ownerProblems(_ target: Manifest.Target) -> [String] {
    target.dependencies.sorted().compactMap { name in
      guard let owners = owners[name], !owners.contains(target.name) else { return nil }
      return "\(target.name) must not reach \(name), which belongs to \(owners.sorted().joined(separator: " and "))"
    }
  }

  /// What a product or program carries and must not.
  ///
  /// - No product or program outside of the tests carries what takes the place of Apple's frameworks.
  /// - An app that depends on a client product builds no C library.
  /// - The server's program carries no simulator, because simulators sign what the stores sign.
  package static func carried(in manifest: Manifest, _ products: [ClientProduct]) -> [String] {
    let shims = Set(manifest.targets.filter { $0.path.hasPrefix(frameworkShims) }.map(\.name))
    let libraries = Set(manifest.targets.filter { layer(of: $0) == "C" }.map(\.name))
    let simulators = Set(manifest.targets.filter { layer(of: $0) == "Simulators" }.map(\.name)).union(["CTaskHook"])
    let programs = manifest.targets.filter { $0.kind == "executable" && !$0.path.hasPrefix("Tests/") }.map(\.name)
    func problems(_ carrier: String, _ reached: Set<String>, _ banned: Set<String>) -> [String] {
      reached.intersection(banned).sorted().map { "\(carrier) carries \($0)" }
    }
    return manifest.products.flatMap { problems("the product \($0.name)", manifest.closure(of: $0.targets), shims) }
      + programs.flatMap { problems("the program \($0)", manifest.closure(of: [$0]), shims) }
      + products.flatMap { problems("the product \($0.name)", $0.closure, libraries) }
      + problems("the server's program", manifest.closure(of: ["CounterfoilProgram"]), simulators)
  }

  /// A page with the drawing between its marks.
  package static func page(_ page: SourceFile, drawing: [String]) throws -> String {
    guard let start = page.lines.firstIndex(of: "<!-- layers -->"),
      let end = page.lines[(start + 2)...].firstIndex(of: "```")
    else { throw Toolchain.Failure(description: "\(page.path) has no place for the drawing of the layers") }
    return (page.lines[...(start + 1)] + drawing + page.lines[end...]).joined(separator: "\n")
  }

  /// The layers as ARCHITECTURE.md draws them.
  package static func drawing(of manifest: Manifest) -> [String] {
    let widest = layers.map(\.count).max() ?? 0
    return layers.flatMap { layer -> [String] in
      let names = manifest.targets.filter {
        Self.layer(of: $0) == layer && !$0.path.hasPrefix(frameworkShims) && !isBesideSources($0)
      }.map(\.name)
      var lines = [""]
      for name in names {
        let last = lines[lines.count - 1]
        let longer = last.isEmpty ? name : last + " · " + name
        if longer.count > 90 { lines.append(name) } else { lines[lines.count - 1] = longer }
      }
      return lines.enumerated().map { index, line in
        let head = index == 0 ? layer : ""
        return head + String(repeating: " ", count: widest + 3 - head.count) + line
      }
    }
  }
}
