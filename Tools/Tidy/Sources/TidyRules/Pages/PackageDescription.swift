/// The manifest of the client's own package, and a podspec for each of its modules: CocoaPods knows one module per pod.
struct PackageDescription {
  let version: String
  let products: [(name: String, modules: [String])]
  let modules: [Manifest.Target]
  let tests: [Manifest.Target]
  let support: [Manifest.Target]
  /// The modules with a privacy manifest.
  let withPrivacy: Set<String>

  var texts: [String: String] {
    let pods = modules.map { ("\(Self.pod($0.name)).podspec", podspec($0)) }
    return Dictionary(uniqueKeysWithValues: pods + [("Package.swift", manifest), (".gitignore", ".build/\n")])
  }

  /// The modules of the package that one of them names.
  private func dependencies(_ target: Manifest.Target, among names: [Manifest.Target]) -> [String] {
    names.map(\.name).filter { target.dependencies.contains($0) }.sorted()
  }

  // MARK: SwiftPM

  private var manifest: String {
    let products = products.map {
      "    .library(name: \"\($0.name)\", targets: \(Self.list($0.modules))),"
    }
    let targets = modules.map { target in
      "    module(\"\(target.name)\", \(Self.list(dependencies(target, among: modules)))"
        + (withPrivacy.contains(target.name) ? ", privacy: privacy)," : "),")
    }
    let available = modules + support
    let supports = support.map { target in
      "    .target(name: \"\(target.name)\", dependencies: \(Self.list(dependencies(target, among: available))), "
        + "path: \"Tests/\(target.name)\", swiftSettings: strict),"
    }
    let suites = tests.map { target in
      "    .testTarget(name: \"\(target.name)\", dependencies: \(Self.list(dependencies(target, among: available))), "
        + "swiftSettings: strict),"
    }
    return """
      // swift-tools-version: 6.2
      // Made by `make client-package` in the repository of Counterfoil; change it there.
      import PackageDescription

      let strict: [SwiftSetting] = [
        .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"), .enableUpcomingFeature("InternalImportsByDefault"),
      ]
      let privacy = ["PrivacyInfo.xcprivacy"]

      func module(_ name: String, _ dependencies: [Target.Dependency], privacy: [String] = []) -> Target {
        #if os(Linux)
          return .target(name: name, dependencies: dependencies, exclude: privacy, swiftSettings: strict)
        #else
          let resources = privacy.map { Resource.copy($0) }
          return .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
        #endif
      }

      let package = Package(
        name: "counterfoil-apple",
        platforms: [.macOS(.v12), .iOS(.v15), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
        products: [
      \(products.joined(separator: "\n"))
        ],
        targets: [
      \((targets + supports + suites).joined(separator: "\n"))
        ]
      )

      """
  }

  private static func list(_ names: [String]) -> String {
    "[" + names.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
  }

  // MARK: CocoaPods

  /// The names of pods are those of everybody, so each begins with ours.
  private static func pod(_ module: String) -> String {
    module.hasPrefix("Counterfoil") ? module : "Counterfoil" + module
  }

  private func podspec(_ target: Manifest.Target) -> String {
    let name = target.name
    let dependencies = dependencies(target, among: modules).map { "  s.dependency '\(Self.pod($0))', s.version.to_s\n" }
    let privacy = "  s.resource_bundles = { '\(Self.pod(name))Privacy' => ['Sources/\(name)/PrivacyInfo.xcprivacy'] }\n"
    return """
      # Made by `make client-package` in the repository of Counterfoil; change it there.
      Pod::Spec.new do |s|
        s.name = '\(Self.pod(name))'
        s.module_name = '\(name)'
        s.version = '\(version)'
        s.summary = 'Purchases that are delivered exactly once: the module \(name) of Counterfoil.'
        s.license = { :type => 'Apache-2.0', :file => 'LICENSE' }
        s.homepage = ENV.fetch('COUNTERFOIL_HOMEPAGE')
        s.authors = 'Counterfoil'
        s.source = { :git => ENV.fetch('COUNTERFOIL_REPOSITORY'), :tag => s.version.to_s }
        s.swift_versions = ['6.0']
        s.ios.deployment_target = '15.0'
        s.osx.deployment_target = '12.0'
        s.tvos.deployment_target = '15.0'
        s.watchos.deployment_target = '8.0'
        s.visionos.deployment_target = '1.0'
        s.source_files = 'Sources/\(name)/**/*.swift'
      \(withPrivacy.contains(name) ? privacy : "")\(dependencies.joined())  # Modules of a package see what they share.
        s.pod_target_xcconfig = {
          'OTHER_SWIFT_FLAGS' => '-package-name counterfoil -enable-upcoming-feature ExistentialAny ' \\
            '-enable-upcoming-feature MemberImportVisibility -enable-upcoming-feature InternalImportsByDefault'
        }
      end

      """
  }
}
