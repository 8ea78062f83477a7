// swift-tools-version: 6.2
// Feeds each parser of foreign bytes with libFuzzer. A package of its own, because every module below must be built
// with the sanitizers' flags: `scripts/fuzz` builds and runs it.
import PackageDescription

let package = Package(
  name: "fuzzers",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "counterfoil", path: "..")],
  targets: [
    .target(name: "CLibFuzzer"),
    .executableTarget(
      name: "Fuzz", dependencies: ["CLibFuzzer", .product(name: "CounterfoilParsers", package: "counterfoil")]),
  ]
)
