// swift-tools-version: 6.2
// The plug-in for Flutter's Swift Package Manager. `make client-package` writes the package that it depends on; put the
// address of your copy here. In the repository of Counterfoil the sources are a target of the main package, compiled
// and tested over stand-ins of Flutter's channels.
import PackageDescription

let package = Package(
  name: "counterfoil_flutter",
  platforms: [.iOS(.v15)],
  products: [.library(name: "counterfoil-flutter", targets: ["counterfoil_flutter"])],
  dependencies: [.package(url: "https://git.example.com/counterfoil-apple.git", from: "0.1.0")],
  targets: [
    .target(
      name: "counterfoil_flutter",
      dependencies: [
        .product(name: "CounterfoilApp", package: "counterfoil-apple"),
        .product(name: "CounterfoilWeChat", package: "counterfoil-apple"),
      ],
      // Flutter's headers say nothing of isolation; its constants are no constants to Swift 6.
      swiftSettings: [.swiftLanguageMode(.v5)])
  ]
)
