package import Foundation

/// The repository with its manifest and what was built of it.
package struct Project: Sendable {
  package let repository: Repository
  let manifest: Manifest
  let catalog: Catalog

  /// - Parameter isParsed: whether the rules are to read its sources.
  package static func read(at root: URL, isParsed: Bool) async throws -> Project {
    let catalog = try Catalog.read(at: root)
    async let repository = Repository.read(at: root, isParsed: isParsed)
    let manifest = try Manifest.read(at: root)
    return Project(repository: await repository, manifest: manifest, catalog: catalog)
  }

  private var products: [ClientProduct] { ClientProduct.all(in: manifest) }
  private var interfaces: [String] { PublicInterface.modules(of: products) }

  // MARK: generated pages

  /// The texts of `docs/reference/errors.md` and of the page of the operator's queue, by path.
  package var referencePages: [String: String] {
    [
      ErrorCodeRule.page: ErrorCodeRule.text(catalog.errorCodes),
      "docs/reference/operator-queue.md": catalog.operatorQueue, "docs/reference/metrics.md": catalog.metrics,
      "docs/reference/configuration.md": catalog.configuration.english,
      "docs/reference/configuration.zh-CN.md": catalog.configuration.chinese,
      ObjectiveCHeader.path: ObjectiveCHeader.text(
        repository.files.filter { $0.isIn(ObjectiveCHeader.folder) }.map(\.text)),
    ]
  }

  /// The public interfaces of the modules that apps compile against, by path.
  package func interfacePages() throws -> [String: String] {
    let pages = try interfaces.map {
      (PublicInterface.path(of: $0), try PublicInterface.page(of: $0, at: repository.root))
    }
    return Dictionary(uniqueKeysWithValues: pages)
  }

  /// ARCHITECTURE.md with the drawing of the layers.
  package func architecturePage() throws -> [String: String] {
    let page = try repository.file("ARCHITECTURE.md")
    return [page.path: try LayerRule.page(page, drawing: LayerRule.drawing(of: manifest))]
  }

  /// The interface pages of modules that apps no longer compile against.
  package var stalePages: [String] {
    repository.paths.filter { $0.hasPrefix(PublicInterface.folder + "/") }
      .subtracting(interfaces.map(PublicInterface.path)).sorted()
  }

  // MARK: documentation

  /// Makes the documentation of the client products, in a folder unless it is nil.
  ///
  /// - Returns: what DocC reports.
  package func makeDocumentation(in output: URL?) throws -> [Finding] {
    if let output { try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true) }
    return try products.flatMap(\.modules).sorted().compactMap { module in
      let said = try DocumentationArchive.make(module, at: repository.root, in: output)
      return said.isEmpty ? nil : Finding("Sources/Client/\(module)", 1, "DocC reports: \(said)")
    }
  }

  // MARK: checks

  /// All findings.
  package func findings() async throws -> [Finding] {
    let specification = Specification(repository.markdown)
    let known = try known()
    async let ofFiles = repository.files.concurrentMap { file in
      findings(in: file, specification, known)
    }
    let ofTree = try treeFindings() + (await clientFindings()) + snippetFindings() + pageFindings()
    return (await ofFiles.flatMap { $0 } + ofTree).sorted { ($0.path, $0.line) < ($1.path, $1.line) }
  }

  private func findings(
    in file: SourceFile, _ specification: Specification, _ known: ReferenceRule.Known
  ) -> [Finding] {
    LengthRule.findings(in: file) + BannedCallRule.findings(in: file) + NameRule.findings(in: file)
      + UncheckedRule.findings(in: file) + FloatingPointRule.findings(in: file)
      + DocumentationRule.findings(in: file) + TextRule.findings(in: file)
      + ImportRule.findings(in: file, manifest: manifest) + PageRule.findings(in: file)
      + ReferenceRule.findings(in: file, known) + CitationRule.findings(in: file, specification)
      + CitationRule.deadLinks(in: file, repository.paths)
  }

  private func known() throws -> ReferenceRule.Known {
    // Our own words are in the first chapter, and are checked like those of any page.
    let foreign = try repository.file("docs/vocabulary.md").lines.drop {
      !$0.hasPrefix("## The same thing at both stores")
    }
    return ReferenceRule.Known(
      paths: repository.paths, declarations: Declarations(repository.swift),
      foreign: Set(foreign.flatMap { ReferenceRule.codeSpans(in: $0) }),
      modules: Set(manifest.targets.map(\.name)).union(["Counterfoil"]))
  }

  /// What concerns the list of exceptions of a rule, the manifest or the tree as a whole.
  private func treeFindings() throws -> [Finding] {
    let swift = repository.swift
    let systemLibraries = Set(manifest.targets.filter { $0.kind == "system" }.map(\.name))
    let stale =
      LengthRule.idle(Ratchets.lengths, among: repository.files)
      + BannedCallRule.idleExceptions(BannedCallRule.exceptions, among: swift)
      + UncheckedRule.idle(UncheckedRule.files, among: swift)
    let manifestProblems =
      LayerRule.problems(in: manifest) + LayerRule.carried(in: manifest, products)
      + TreeRule.problems(
        paths: repository.paths, targets: Set(manifest.targets.map(\.name)), systemLibraries: systemLibraries)
    let codes = catalog.errorCodes
    let tests = repository.tests
    return stale.map { Finding("Tools/Tidy", 1, "an exception that is not needed: \($0)") }
      + UncheckedRule.listProblems().map {
        Finding("Tools/Tidy", 1, "\($0) owns no C library, or has two files with what the compiler cannot check")
      }
      + manifestProblems.map { Finding("Package.swift", 1, $0) }
      + LengthRule.longTypes(in: swift).map { Finding("Sources", 1, $0) }
      + (ErrorCodeRule.problems(codes, in: swift) + ErrorCodeRule.unreached(codes, by: tests)).map {
        Finding(ErrorCodeRule.page, 1, $0)
      }
      + CitationRule.problems(in: repository.markdown, tests).map { Finding(Specification.folder, 1, $0) }
      + (try repository.checklistProblems()).map { Finding(ChecklistRule.page, 1, $0) }
  }

  private func clientFindings() async throws -> [Finding] {
    guard let floor = manifest.platforms["ios"] else { return [Finding("Package.swift", 1, "no oldest iOS")] }
    let modules = Set(interfaces)
    let sources = repository.swift.filter { $0.target.map(modules.contains) == true }
    let shipped = sources.filter { $0.target != "CounterfoilTesting" }
    let unnamed = try ClientPackage.pages.flatMap { ClientPackage.findings(in: try repository.file($0), sources) }
    let table = AvailabilityTable(try repository.file(AvailabilityTable.path).text)
    return OldestSystemRule.problems(manifest.platforms).map { Finding("Package.swift", 1, $0) }
      + (await AvailabilityRule.findings(in: sources, platforms: manifest.platforms, table)) + unnamed
      + sources.flatMap { OldestSystemRule.findings(in: $0, floor: floor) }
      + (try PrivacyRule.modules.flatMap { module in
        let path = PrivacyRule.path(of: module)
        return PrivacyRule.problems(in: try repository.file(path).text, PrivacyRule.files(of: module, among: shipped))
          .map { Finding(path, 1, $0) }
      })
  }

  private func snippetFindings() -> [Finding] {
    let files = repository.swift.filter { $0.isIn("Tests/SnippetTests") }
    let snippets = files.flatMap { SnippetRule.snippets(in: $0) }
    return repository.markdown.flatMap {
      SnippetRule.findings(in: $0, snippets) + NamedTestRule.findings(in: $0, repository.files)
    }
      + SnippetRule.idle(snippets, in: repository.markdown).map {
        Finding("Tests/SnippetTests", 1, "no page shows the snippet \($0)")
      }
      + files.flatMap { SnippetRule.hiddenImports(in: $0) }
  }

  private func pageFindings() throws -> [Finding] {
    let traps = try TrapsRule.pages.map(repository.file)
    let changes = try repository.file(ChangeListRule.page)
    return ChangeListRule.findings(in: changes, repository.swift)
      + StableNameRule.findings(in: try repository.file(StableNameRule.page), repository.swift)
      + traps.flatMap { TrapsRule.findings(in: $0, triggers: catalog.triggers, repository.swift) }
      + TrapsRule.differences(traps[0], traps[1])
      + TranslationRule.findings(among: repository.markdown) + AnchorRule.findings(among: repository.markdown)
      + generatedFindings(referencePages, "make errors") + generatedFindings(try architecturePage(), "make errors")
      + (try builtFindings())
  }

  /// What is checked on Linux alone, where the pages are written.
  private func builtFindings() throws -> [Finding] {
    #if os(Linux)
      return generatedFindings(try interfacePages(), "make api")
        + stalePages.map { Finding($0, 1, "no app compiles against this module: make api") }
        + (try makeDocumentation(in: nil))
    #else
      return []
    #endif
  }

  private func generatedFindings(_ pages: [String: String], _ command: String) -> [Finding] {
    pages.keys.sorted().compactMap { path in
      let written = repository.files.first { $0.path == path }?.lines ?? []
      let lines = pages[path, default: ""].split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      guard let change = lines.difference(from: written).first else { return nil }
      switch change {
      case .insert(let line, let text, _): return Finding(path, line + 1, "\(command) writes here: \(text)")
      case .remove(let line, let text, _): return Finding(path, line + 1, "\(command) does not write: \(text)")
      }
    }
  }
}
