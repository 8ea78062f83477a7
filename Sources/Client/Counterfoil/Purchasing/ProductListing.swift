public import PaymentPrimitives

/// The store's answer about products.
public enum ProductListing: Hashable, Sendable {
  /// The store answered; it names the products that it does not know.
  case answered(StoreProducts)
  /// The store did not answer in time, or failed. This does not mean that a product is wrong.
  case unanswered(StoreFailure?)

  /// The products that can be shown.
  public var products: [StoreProduct] {
    guard case .answered(let answer) = self else { return [] }
    return answer.products
  }

  /// Possible causes to check, in this order, when the store knows none of the products: for the developer. Empty
  /// otherwise.
  public var causesToCheck: [BilingualText] {
    guard case .answered(let answer) = self, answer.products.isEmpty, !answer.unknown.isEmpty else { return [] }
    return Self.likelyCauses
  }

  static let likelyCauses = [
    BilingualText(
      "Agreements: the Paid Apps agreement, bank account and tax forms must be active in App Store Connect.",
      "协议：App Store Connect 中的付费应用协议、银行账户和税务表格必须均已生效。"),
    BilingualText(
      "Product state: each product needs its metadata complete (\"Ready to Submit\" or later); new ones take hours.",
      "商品状态：每个商品的元数据须填写完整（“准备提交”或之后的状态）；新建商品可能需要数小时才生效。"),
    BilingualText(
      "Bundle id: the app on the device must be signed with the bundle id that the products belong to.",
      "Bundle ID：设备上应用的签名必须使用商品所属的 Bundle ID。"),
    BilingualText(
      "Sandbox account: a development build needs one signed in on the device, of a region where the product is sold.",
      "沙盒账号：开发版本需要在设备上登录沙盒账号，且其地区必须有该商品出售。"),
  ]
}
