import PaymentPrimitives
import StrictJSON
import TestDatabases
import TestPlatform

/// Runs a shop over a schema of its own on the tests' PostgreSQL server.
func withPostgreSQLShop<Result: Sendable>(
  apps: [ShopApp] = [ShopApp(id: "game")],
  _ body: @escaping @Sendable (Shop, PostgreSQLServer, _ schema: String) async throws -> Result
) async throws -> Result {
  let server = try await SharedPostgreSQL.shared.server()
  let schema = await SharedPostgreSQL.shared.newSchema()
  let result = try await withShop(apps: apps, database: databaseTable(server, schema: schema)) { shop in
    try await body(shop, server, schema)
  }
  try server.run("DROP SCHEMA IF EXISTS \(schema) CASCADE")
  return result
}

/// The table of a configuration that names a schema of a server of the tests.
///
/// - Parameter port: the port of a proxy before it; nil for its own.
func databaseTable(_ server: PostgreSQLServer, schema: String, port: Int? = nil) -> String {
  """
  [database]
  url = "\(server.address(port: port))"
  password = { environment = "TEST_DATABASE_PASSWORD" }
  schema = "\(schema)"
  """
}

extension Shop {
  /// Makes an order for the one product, and returns its id.
  func placeOrder(of user: String, app: String? = nil) async throws -> String {
    let answer = try await ask(
      "POST", "/v1/orders",
      body: .members([("productId", "coins.100"), ("store", "appStore"), ("userId", .string(user))]), app: app)
    guard let id = answer.json["id"]?.string else { throw ShopError("no order was made: \(answer.json.text)") }
    return id
  }
}
