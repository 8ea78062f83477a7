import PaymentDatabase
import PaymentServer
import TOMLConfiguration

/// Reads the web pages that may call from a browser.
struct WebOriginReading {
  private static let key = "web_origins"
  private static let countMax = 100

  let root: ConfigurationTable
  let profile: DatabaseProfile

  init(_ root: ConfigurationTable, _ profile: DatabaseProfile) {
    self.root = root
    self.profile = profile
  }

  func origins() -> Set<WebOrigin> {
    let texts = root.optional(Self.key, .list(of: .string(bytes: 1...300))) ?? []
    guard texts.count <= Self.countMax else {
      root.refuse(Self.key, .malformed, details: "It has \(texts.count) entries; at most \(Self.countMax) are read.")
      return []
    }
    return Set(texts.compactMap { origin($0) })
  }

  private func origin(_ text: String) -> WebOrigin? {
    guard let origin = WebOrigin(text) else {
      root.refuse(
        Self.key, .malformed,
        details: "\(text) is no origin as browsers send it, such as https://shop.example.com or http://localhost:3000: "
          + "in small letters, without a path and without the usual port.")
      return nil
    }
    guard !origin.isExposed || profile == .simulated else {
      root.refuse(
        Self.key, .contradiction,
        details: "\(text) has no encryption: whoever is between can change the page and take its users' tokens.")
      return nil
    }
    return origin
  }
}
