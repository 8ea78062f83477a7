import PaymentPrimitives
import StrictJSON

/// What the simulators know, as far as the page shows it.
struct SimulatorPageState: Sendable {
  /// The newest things of a list.
  private static let shownMax = 10

  var appStoreTime = ""
  var weChatPayTime = ""
  var products: [JSONValue] = []
  var orders: [JSONValue] = []
  var complaints: [JSONValue] = []
  var transactions: [JSONValue] = []
  var weChatFaults: [String] = []
  var weChatOperations: [String] = []
  var appleFaults: [String] = []
  var appleOperations: [String] = []
  var planned = 0
  /// What could not be read.
  var problem: String?

  static func read(_ page: SimulatorPage) async -> SimulatorPageState {
    var state = SimulatorPageState()
    do {
      state.appStoreTime = try await page.ask("GET", "/clock")["now"]?.string ?? ""
      state.weChatPayTime = try await page.ask("GET", "/wechat-pay/clock")["now"]?.string ?? ""
      state.products = try await page.askServer("GET", "/v1/products?userId=alice")["products"]?.array ?? []
      state.orders = newest(try await page.ask("GET", "/wechat-pay/orders?limit=500")["orders"])
      state.complaints = newest(try await page.ask("GET", "/wechat-pay/complaints?limit=500")["complaints"])
      state.transactions = newest(try await page.ask("GET", "/transactions?limit=500")["transactions"])
      let weChat = try await page.ask("GET", "/wechat-pay/faults")
      let apple = try await page.ask("GET", "/api-faults")
      state.weChatFaults = words(weChat["faults"])
      state.weChatOperations = words(weChat["operations"])
      state.appleFaults = words(apple["faults"])
      state.appleOperations = words(apple["operations"])
      state.planned = (weChat["planned"]?.array?.count ?? 0) + (apple["planned"]?.array?.count ?? 0)
    } catch { state.problem = "\(error)" }
    return state
  }

  private static func words(_ list: JSONValue?) -> [String] { (list?.array ?? []).compactMap(\.string) }

  private static func newest(_ list: JSONValue?) -> [JSONValue] { (list?.array ?? []).suffix(shownMax).reversed() }
}
