import Counterfoil
import CounterfoilStoreKit
import Foundation
import UIKit

/// A shop page in UIKit: prices, purchase, open orders, restore. Make one `Purchasing` in the app delegate, call
/// `start()` there, and hand it to each page.
final class ShopViewController: UITableViewController {
  /// Our product ids with Apple's, as in the server's catalog.
  static let items: [(id: ProductIdentifier, store: StoreProductIdentifier)] = [
    ("coins60", "com.example.coins60"), ("coins300", "com.example.coins300"), ("premium", "com.example.premium"),
  ]

  private let purchasing: Purchasing
  private let language: Language
  private let messages = CustomerMessages()
  private var products: [StoreProduct] = []
  private var openOrders: [OpenOrder] = []
  /// The products with an open tap.
  private var buying: Set<ProductIdentifier> = []
  private var listening: Task<Void, Never>?

  init(_ purchasing: Purchasing, language: Language) {
    self.purchasing = purchasing
    self.language = language
    super.init(style: .insetGrouped)
  }

  @available(*, unavailable)
  required init?(coder: NSCoder) { nil }

  override func viewDidLoad() {
    super.viewDidLoad()
    tableView.register(UITableViewCell.self, forCellReuseIdentifier: "cell")
    navigationItem.rightBarButtonItem = UIBarButtonItem(
      title: "Restore", style: .plain, target: self, action: #selector(restore))
    listening = Task { [weak self, purchasing] in
      for await event in await purchasing.events() { await self?.take(event) }
    }
    Task { await readProducts() }
  }

  /// The page is gone for good: its listener ends, the purchases go on.
  deinit { listening?.cancel() }

  private func readProducts() async {
    products = await purchasing.storeProducts(Self.items.map(\.store)).products
    tableView.reloadData()
  }

  private func take(_ event: PurchaseEvent) async {
    switch event {
    case .orderOpen, .orderClosed: openOrders = await purchasing.openOrders()
    case .fulfilled, .orderGranted, .slowCallback: show(messages[event.messageKey][language])
    default: return
    }
    tableView.reloadData()
  }

  // MARK: actions

  private func buy(_ id: ProductIdentifier) async {
    // Two taps are one purchase.
    guard buying.insert(id).inserted else { return }
    defer {
      buying.remove(id)
      tableView.reloadData()
    }
    tableView.reloadData()
    do throws(PurchasingError) {
      let outcome = try await purchasing.purchase(id)
      // The customer knows that they cancelled.
      if case .cancelled = outcome { return }
      show(messages[outcome.messageKey][language])
    } catch {
      show(error.message(language))
    }
  }

  @objc private func restore() {
    Task {
      do throws(PurchasingError) {
        let report = try await purchasing.restorePurchases()
        if !report.isCancelled { show("\(report.fulfilled)") }
      } catch {
        show(error.message(language))
      }
    }
  }

  private func show(_ text: String) {
    let alert = UIAlertController(title: nil, message: text, preferredStyle: .alert)
    alert.addAction(UIAlertAction(title: "OK", style: .default, handler: nil))
    present(alert, animated: true, completion: nil)
  }

  // MARK: table

  override func numberOfSections(in tableView: UITableView) -> Int { 2 }

  override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
    section == 0 ? Self.items.count : openOrders.count
  }

  override func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
    let cell = tableView.dequeueReusableCell(withIdentifier: "cell", for: indexPath)
    if indexPath.section == 0 {
      let item = Self.items[indexPath.row]
      let product = products.first { $0.id == item.store }
      // Without an answer of the store the product is sold without a price: the sheet shows it.
      let price = buying.contains(item.id) ? "…" : product?.displayPrice ?? ""
      cell.textLabel?.text = "\(product?.name ?? item.id.text)  \(price)"
    } else {
      let order = openOrders[indexPath.row]
      cell.textLabel?.text = "\(order.product)  \(order.order.id.supportCode)"
    }
    return cell
  }

  override func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
    tableView.deselectRow(at: indexPath, animated: true)
    guard indexPath.section == 0 else { return }
    Task { await buy(Self.items[indexPath.row].id) }
  }
}
