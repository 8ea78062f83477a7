import Testing
import TidyRules

/// The header that Xcode would make, for each form of declaration that the client has.
@Suite struct `The header for Objective-C` {
  private func lines(_ members: String) -> [String] {
    let head = "#if canImport(ObjectiveC)\n@objc(CFLShop) @objcMembers\n#endif\npublic final class Shop: NSObject {\n"
    let text = "#if canImport(StoreKit)\n\(head)\(members)\n}\n#endif\n"
    return ObjectiveCHeader.text([text]).split(separator: "\n").map(String.init)
  }

  @Test(arguments: [
    ("public func start() {}", "- (void)start;"),
    (
      "public func buy(_ product: String, count: Int) {}",
      "- (void)buy:(NSString *)product count:(NSInteger)count;"
    ),
    ("public func ended(code: Int) -> Bool { true }", "- (BOOL)endedWithCode:(NSInteger)code;"),
    ("public func support(forOrder id: String?) {}", "- (void)supportForOrder:(nullable NSString *)id;"),
    ("public func show(in scene: UIWindowScene) {}", "- (void)showIn:(UIWindowScene *)scene;"),
    ("public init(server: String) {}", "- (instancetype)initWithServer:(NSString *)server;"),
    (
      "public init(server: String) throws {}",
      "- (nullable instancetype)initWithServer:(NSString *)server error:(NSError **)error;"
    ),
    (
      "public func ask(done: @escaping @MainActor @Sendable ([Shop], _ why: (any Error)?) -> Void) {}",
      "- (void)askWithDone:(void (^)(NSArray<CFLShop *> *, NSError * _Nullable why))done;"
    ),
    (
      "public func ask(done: (@Sendable () -> Void)?) {}",
      "- (void)askWithDone:(void (^ _Nullable)(void))done;"
    ),
    ("public let name: String = \"\"", "@property(nonatomic, readonly) NSString *name;"),
    ("public var isOn = false", "@property(nonatomic) BOOL isOn;"),
    ("public var count: NSNumber?", "@property(nonatomic, copy, nullable) NSNumber *count;"),
    (
      "public static let name = Notification.Name(\"a\")",
      "@property(nonatomic, class, readonly) NSNotificationName name;"
    ),
  ])
  func `has each declaration under the name that Objective-C knows`(swift: String, objectiveC: String) {
    #expect(lines(swift).contains(objectiveC), "\(lines(swift))")
  }

  @Test func `leaves out what is not for Objective-C, and a type that cannot be made there has no initializer`() {
    let text = lines("func start() {}\nprivate let start = 1\n@nonobjc public init(_ other: Other) {}")
    #expect(!text.contains { $0.contains("start") })
    #expect(text.contains("- (instancetype)init NS_UNAVAILABLE;"))
  }
}
