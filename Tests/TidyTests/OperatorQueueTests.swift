import Foundation
import PaymentEngine
import Testing

@Suite struct `Each row of the operator's queue` {
  private let page = "docs/reference/operator-queue.md"

  @Test func `is documented in the page that is made from the table`() throws {
    if ProcessInfo.processInfo.environment["COUNTERFOIL_WRITE_DOCS"] == "1" {
      try Data(OperatorQueueTable.page.utf8).write(to: Repository.root.appending(path: page))
      return
    }
    let written = try #require(Repository.file(page), "\(page) is missing: make errors")
    #expect(written.text == OperatorQueueTable.page, "\(page) is not as the sources say: make errors")
  }
}
