// swift-tools-version: 6.2
// Feeds each parser of foreign bytes with libFuzzer. A package of its own, because every module below must be built
// with the sanitizers' flags: `scripts/fuzz` builds and runs it.
import PackageDescription

// The parsers are not public, as no app may call them: this package is compiled as a part of that one, whose identity
// is the name of its folder.
let folder = Context.packageDirectory.split(separator: "/").dropLast().last.map(String.init) ?? ""
let identity = String(folder.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })

let package = Package(
  name: "fuzzers",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "counterfoil", path: "..")],
  targets: [
    .target(name: "CLibFuzzer"),
    .executableTarget(
      name: "Fuzz", dependencies: ["CLibFuzzer", .product(name: "CounterfoilParsers", package: "counterfoil")],
      swiftSettings: [.unsafeFlags(["-package-name", identity])]),
  ]
)
