import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON

extension ControlRoutes {
  static let catalog: [ControlRoute] = [
    ControlRoute("GET", "/apps", summary: "All apps.") { call throws(CodedError<SimulatorErrorCode>) in
      call.answer(.members([("apps", .array(await call.store.apps().map(\.json)))]))
    },
    ControlRoute(
      "PUT", "/apps/{bundleId}", summary: "Adds an app, or replaces what is said of it.",
      takes: [
        ("appAppleId", "Apple's number of the app"), ("notificationUrl?", "where notifications go"),
        ("version?", "otherwise 1.0"), ("build?", "otherwise 1"),
        ("gracePeriodDays?", "0, 3, 16 or 28, otherwise 0"),
      ]
    ) { call throws(CodedError<SimulatorErrorCode>) in
      let app = try call.read(SimulatedApp.init(_:))
      try await call.store.catalog.setApp(app)
      return call.answer(app.json)
    },
    ControlRoute("GET", "/apps/{bundleId}/products", summary: "The products of an app.") {
      call throws(CodedError<SimulatorErrorCode>) in
      let products = await call.store.products(of: call.parameters["bundleId"] ?? "")
      return call.answer(.members([("products", .array(products.map(\.json)))]))
    },
    ControlRoute(
      "PUT", "/apps/{bundleId}/products/{productId}", summary: "Adds a product, or changes its price or level.",
      takes: [
        ("type", "Consumable, Non-Consumable, Non-Renewing Subscription or Auto-Renewable Subscription"),
        ("price", "thousandths of the currency's main unit: 6000 is 6.00"), ("currency", "CNY, USD, …"),
        ("subscriptionGroupIdentifier?", "of an auto-renewable one: a number as text"),
        ("period?", "of an auto-renewable one: P1W, P1M, P2M, P3M, P6M or P1Y"),
        ("level?", "of an auto-renewable one: its rank in the group, 1 is the best, otherwise 1"),
        ("isForSale?", "false: neither sold nor renewed"),
        (
          "offers?",
          "a list: offerType 1 to 4, offerIdentifier, offerDiscountType, offerPeriod, count of periods, price"
        ),
      ]
    ) { call throws(CodedError<SimulatorErrorCode>) in
      let product = try call.read(SimulatedProduct.init(_:))
      try await call.store.catalog.setProduct(product, bundleId: call.parameters["bundleId"] ?? "")
      return call.answer(product.json)
    },
    ControlRoute("GET", "/accounts", summary: "All Apple accounts.", takes: ControlCall.pageQuery) {
      call throws(CodedError<SimulatorErrorCode>) in
      try call.page("accounts", of: await call.store.accounts(), id: { $0.id.text }, json: { $0.json })
    },
    ControlRoute(
      "PUT", "/accounts/{account}", summary: "Adds an Apple account, or moves it to another country.",
      takes: [
        ("storefront?", "three letters of a country, otherwise CHN"),
        ("environment?", "Production or Sandbox; it never changes"),
        ("canPay?", "false: its card cannot be charged"),
      ]
    ) { call throws(CodedError<SimulatorErrorCode>) in
      let known = await call.store.accounts().first { $0.id.text == call.parameters["account"] }
      let environment = known?.environment ?? call.settings.environment
      let account = try call.read { fields throws(JSONFieldError) in
        try SimulatedAppleAccount(fields, otherwise: environment)
      }
      try await call.store.catalog.setAccount(account)
      return call.answer(account.json)
    },
  ]
}
