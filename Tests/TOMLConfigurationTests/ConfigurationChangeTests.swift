import TOMLConfiguration
import Testing

@Suite struct `The changes between two configurations` {
  private static let old = """
    port = 8080
    [tls]
    certificate = "a.pem"
    [[app]]
    id = "shop"
    secrets = [{ file = "one" }]
    [[app.product]]
    id = "coins"
    amount = 100
    [[app]]
    id = "other"

    """

  private func changes(_ text: String) throws -> [String] {
    let new = try ConfigurationFile(parsing: Array(text.utf8), named: "new.toml")
    let old = try ConfigurationFile(parsing: Array(Self.old.utf8), named: "old.toml")
    return new.changes(from: old).map(\.path)
  }

  @Test func `are none where only comments, lines and the order of keys differ`() throws {
    #expect(try changes(Self.old) == [])
    #expect(try changes("# a comment\n\n" + Self.old.replacing("port = 8080", with: "port   =   8_080")) == [])
  }

  @Test func `are named by key, with the ids of apps and products in place of their numbers`() throws {
    #expect(try changes(Self.old.replacing("8080", with: "8081")) == ["port"])
    #expect(
      try changes(Self.old.replacing("amount = 100", with: "amount = 250")) == ["app[shop].product[coins].amount"])
    #expect(try changes(Self.old.replacing("\"one\"", with: "\"two\"")) == ["app[shop].secrets[0].file"])
    let file = try ConfigurationFile(parsing: Array("[[app]]\nid = \"a]b.c\"\nx = 1\n".utf8), named: "n")
    #expect(file.changes(from: .none).map(\.pattern) == ["app[]"])
  }

  @Test func `count a new or removed table once, without what it holds`() throws {
    #expect(try changes(Self.old.replacing("[tls]\ncertificate = \"a.pem\"\n", with: "")) == ["tls"])
    let other = try changes("[[app]]\nid = \"first\"\nx = 1\n")
    #expect(other == ["app[first]", "app[other]", "app[shop]", "port", "tls"])
  }

  @Test func `do not take an app for another one because one was added before it`() throws {
    let added = Self.old.replacing("[[app]]\nid = \"shop\"", with: "[[app]]\nid = \"new\"\n[[app]]\nid = \"shop\"")
    #expect(try changes(added) == ["app[new]"])
  }
}
