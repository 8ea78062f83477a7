import StrictJSON

// Parameters of the query that several routes have.
extension RouteDocumentation.Parameter {
  static let userId = Self(
    name: "userId", meaning: "The user. Only with a secret key; a user token already names the user.")

  static let environment = Self(
    name: "environment",
    meaning: "Which world, of those that the app has. Only with a secret key; the app's own unless said otherwise.",
    schema: Schemas.environment)

  static func limit(_ most: Int) -> Self {
    Self(name: "limit", meaning: "How many at most; 20 unless said otherwise.", schema: Schemas.integer(1...most))
  }
}
