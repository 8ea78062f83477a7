import Console
import HTTPMessages
import PaymentPrimitives
import ShopFixtures
import Testing

@Suite struct `The keys of the console` {
  /// The script that pages load.
  private static func script(_ browser: Browser) async throws -> String {
    let page = await browser.get("/console/enter").page
    let start = try #require(page.firstRange(of: "/console/assets/console."))
    let addresses = page[start.lowerBound...].split(separator: "\"").filter { $0.hasSuffix(".js") }
    return await browser.get(String(try #require(addresses.first))).page
  }

  @Test func `are neither listed nor offered to somebody who has not signed in`() async throws {
    let page = await Browser(fixture: try ConsoleFixture()).get("/console/enter").page
    #expect(!page.contains("<dialog") && !page.contains("data-key"))
  }

  @Test(arguments: [("en", Language.english), ("zh", .chinese)])
  func `are listed on every page in the language of the page, in a dialog that is closed`(
    asked: String, language: Language
  ) async throws {
    let fixture = try ConsoleFixture()
    let order = try await fixture.paidOrder()
    let browser = try await fixture.browser(in: "*", language: asked)
    for path in ["/console/app/shop", fixture.pagePath(of: order), "/console/audit-log", "/console/me"] {
      let page = await browser.get(path).page
      let start = try #require(page.firstRange(of: "<dialog id=\"keys\""), "\(path)")
      let dialog = String(page[start.lowerBound...])
      #expect(!dialog.prefix { $0 != ">" }.contains(" open"), "\(path)")
      for key in KeyHelp.all {
        #expect(dialog.contains("<dt>\(key.words[language])</dt>"), "\(path) \(key.name)")
        for part in key.name.split(separator: " ") { #expect(dialog.contains("<kbd>\(part)</kbd>"), "\(path) \(part)") }
      }
      // Only a script shows what needs one.
      #expect(page.contains("data-keys=\"show\" hidden"), "\(path)")
    }
    #expect(await browser.get("/console/me").page.contains("data-keys=\"switch\" hidden"))
  }

  @Test func `that are two after each other lead to the page that the list names`() async throws {
    let page = try await ConsoleFixture().browser().get("/console/app/shop").page
    let targets = [
      "g o": "/console/app/shop/orders", "g q": "/console/app/shop/needs-attention",
      "g d": "/console/app/shop/deliveries", "g a": "/console/audit-log",
    ]
    #expect(Set(targets.keys) == Set(KeyHelp.all.map(\.name).filter { $0.hasPrefix("g ") }))
    for (key, target) in targets {
      #expect(page.contains("href=\"\(target)\" data-key=\"\(key)\""), "\(key)")
    }
  }

  @Test func `are known to the script, each one that is listed and no other`() async throws {
    let script = try await Self.script(Browser(fixture: try ConsoleFixture()))
    let start = try #require(script.firstRange(of: "const does = {"))
    let end = try #require(script[start.upperBound...].firstRange(of: "};\n"))
    let table = script[start.upperBound..<end.lowerBound]
    let known = table.split(separator: "\n").compactMap { line -> String? in
      let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
      return parts.count > 2 && parts[0].allSatisfy { $0 == " " } ? String(parts[1]) : nil
    }
    // Browsers do Enter and Escape by themselves.
    let single = KeyHelp.all.map(\.name).filter { !$0.hasPrefix("g ") && !["Enter", "Esc"].contains($0) }
    #expect(Set(single).isSubset(of: known) && known.count == single.count, "\(known)")
  }

  @Test func `do nothing while somebody types, or has switched them off`() async throws {
    let script = try await Self.script(Browser(fixture: try ConsoleFixture()))
    let start = try #require(script.firstRange(of: "addEventListener(\"keydown\""))
    let body = String(script[start.upperBound...].prefix(900))
    let (typing, off) = (try #require(body.firstRange(of: "isTyping(event.target)) return")), "areOff()) return")
    let acts = try #require(body.firstRange(of: "does[event.key]()"))
    #expect(typing.upperBound < acts.lowerBound && body.contains(off))
    for banned in ["innerHTML", "outerHTML", "eval(", "document.write", "setTimeout(\""] {
      #expect(!script.contains(banned), "\(banned)")
    }
  }
}
