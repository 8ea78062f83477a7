import Foundation
import Testing

extension Scripts {
  /// The sample in UIKit, and what belongs to each sample in Xcode.
  @Suite struct `The samples` {
    /// What the sample uses of UIKit beyond the stand-in that the adapters have.
    private static let standIn = """
      import Foundation
      import UIKit
      @MainActor class UITableViewController {
        enum Style { case insetGrouped }
        let tableView = UITableView()
        let navigationItem = UINavigationItem()
        init(style: Style) {}
        required init?(coder: NSCoder) { nil }
        func viewDidLoad() {}
        func present(_ alert: UIAlertController, animated: Bool, completion: (() -> Void)?) {}
        func numberOfSections(in tableView: UITableView) -> Int { 1 }
        func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 0 }
        func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
          UITableViewCell()
        }
        func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}
      }
      @MainActor final class UINavigationItem { var rightBarButtonItem: UIBarButtonItem? }
      @MainActor final class UIBarButtonItem {
        enum Style { case plain }
        init(title: String?, style: Style, target: AnyObject?, action: (() -> Void)?) {}
      }
      @MainActor final class UITableView {
        func register(_ cell: UITableViewCell.Type, forCellReuseIdentifier identifier: String) {}
        func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath) -> UITableViewCell {
          UITableViewCell()
        }
        func deselectRow(at indexPath: IndexPath, animated: Bool) {}
        func reloadData() {}
      }
      @MainActor final class UITableViewCell {
        final class Label { var text: String? }
        var textLabel: Label? = Label()
      }
      @MainActor final class UIAlertController {
        enum Style { case alert }
        init(title: String?, message: String?, preferredStyle: Style) {}
        func addAction(_ action: UIAlertAction) {}
      }
      @MainActor final class UIAlertAction {
        enum Style { case `default` }
        init(title: String?, style: Style, handler: ((UIAlertAction) -> Void)?) {}
      }
      extension IndexPath {
        var section: Int { self[0] }
        var row: Int { self[1] }
      }
      """

    private func check(_ change: (String) -> String = { $0 }) throws -> (code: Int32, output: String) {
      let sample = try TypeCheck.text("Examples/UIKitShop/ShopViewController.swift")
        .replacing("@objc ", with: "").replacing("#selector(restore)", with: "nil")
      return try TypeCheck.run(
        ["ShopViewController.swift": change(sample), "StandIn.swift": Self.standIn], module: "UIKitShop")
    }

    @Test func `in UIKit is right Swift, with all that it calls`() throws {
      let result = try check()
      #expect(result.code == 0, "\(result.output)")
    }

    @Test func `in UIKit is seen to be wrong where it is`() throws {
      let result = try check { $0.replacing("purchasing.restorePurchases()", with: "purchasing.restoreAll()") }
      #expect(result.code != 0 && result.output.contains("restoreAll"))
    }

    @Test(arguments: [
      ("Shop", "Shop.swift"), ("UIKitShop", "ShopViewController.swift"), ("ObjectiveCShop", "ShopViewController.m"),
    ])
    func `have the products that their StoreKit file sells, and may reach a server on the local network (W8)`(
      folder: String, source: String
    ) throws {
      let file = try TypeCheck.text("Examples/\(folder)/Shop.storekit")
      let json = try #require(try JSONSerialization.jsonObject(with: Data(file.utf8)) as? [String: Any])
      let products = (json["products"] as? [[String: Any]] ?? []).compactMap { $0["productID"] as? String }
      let text = try TypeCheck.text("Examples/\(folder)/\(source)")
      let named = Set(text.matches(of: #/"(com\.example\.[a-z0-9]+)"/#).map { String($0.output.1) })
      #expect(!named.isEmpty && Set(products) == named)
      let plist = try TypeCheck.text("Examples/\(folder)/Info.plist")
      let list = try PropertyListSerialization.propertyList(from: Data(plist.utf8), format: nil) as? [String: Any]
      let security = list?["NSAppTransportSecurity"] as? [String: Any]
      #expect(security?["NSAllowsLocalNetworking"] as? Bool == true && security?.count == 1)
      #expect((list?["LSApplicationQueriesSchemes"] as? [String])?.contains("weixinULAPI") == true)
    }
  }
}
