import HTTPMessages
import PaymentEngine
import StrictJSON

/// The links that open an app on an Apple device.
enum LinkRoutes {
  static let all: [Route] = [association]

  /// Apple's devices read it when an app is installed, through a server of Apple's, which keeps it for hours.
  private static let association = Route(
    "GET", "/.well-known/apple-app-site-association", name: "ReadAppSiteAssociation", access: [.open],
    documentation: RouteDocumentation(
      summary: "Which paths of this server open which app on an Apple device.", answer: "AppSiteAssociation",
      usesStore: false)
  ) { call in
    let details = call.server.engine.apps.all.compactMap(\.universalLinks).map { links in
      JSONValue.members([
        ("appIDs", .array([.string(links.application)])),
        ("components", .array(links.paths.map { .members([("/", .string($0))]) })),
      ])
    }
    return call.answer(.members([("applinks", .members([("details", .array(details))]))]))
  }
}
