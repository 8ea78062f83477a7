import Foundation
import TestSubprocess
import Testing

extension Scripts {
  /// The sample in Objective-C, compiled against the header that Tools/Tidy makes from the client's sources. The
  /// frameworks are headers of our own, with what the sample uses.
  @Suite struct `The sample in Objective-C` {
    private static let foundation = """
      #define NS_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
      #define NS_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")
      #define NS_ENUM(type, name) enum name : type name; enum name : type
      #define NS_UNAVAILABLE __attribute__((unavailable))
      #define nil ((id)0)
      #define YES ((BOOL)1)
      #define NO ((BOOL)0)
      typedef signed char BOOL;
      typedef long NSInteger;
      typedef unsigned long NSUInteger;
      typedef long long int64_t;
      typedef unsigned int uint32_t;
      @protocol NSObject
      - (BOOL)isKindOfClass:(Class)aClass;
      @end
      @protocol NSCopying
      @end
      __attribute__((objc_root_class)) @interface NSObject <NSObject>
      + (instancetype)alloc;
      + (instancetype)new;
      - (instancetype)init;
      + (Class)class;
      @end
      @interface NSString : NSObject <NSCopying>
      + (instancetype)stringWithFormat:(NSString *)format, ...;
      @end
      typedef NSString *NSNotificationName;
      @interface NSArray<__covariant T> : NSObject
      + (instancetype)arrayWithObjects:(const T *)objects count:(NSUInteger)count;
      @end
      @interface NSDictionary<K, V> : NSObject
      + (instancetype)dictionaryWithObjects:(const V *)objects
                                    forKeys:(const id<NSCopying> *)keys
                                      count:(NSUInteger)count;
      - (V)objectForKeyedSubscript:(K)key;
      @property(readonly) NSArray<K> *allKeys;
      @end
      @interface NSMutableSet<T> : NSObject
      + (instancetype)set;
      @property(readonly) NSUInteger count;
      - (BOOL)containsObject:(T)object;
      - (void)addObject:(T)object;
      - (void)removeObject:(T)object;
      @end
      @interface NSError : NSObject
      @property(readonly) NSString *localizedDescription;
      @end
      @interface NSDate : NSObject
      @end
      @interface NSNumber : NSObject
      @end
      @interface NSURL : NSObject
      @end
      @interface NSUserActivity : NSObject
      @end
      @interface NSNotification : NSObject
      @property(readonly) NSDictionary *userInfo;
      @end
      @interface NSNotificationCenter : NSObject
      @property(class, readonly) NSNotificationCenter *defaultCenter;
      - (void)addObserver:(id)observer selector:(SEL)selector name:(NSNotificationName)name object:(id)object;
      @end
      void NSLog(NSString *format, ...);
      """
    private static let kit = """
      #import <Foundation/Foundation.h>
      @interface UIViewController : NSObject
      - (void)viewDidLoad;
      @end
      @interface UIWindowScene : NSObject
      @end
      """
    /// The used part of WeChat's OpenSDK, by its published names.
    private static let weChat = """
      #import <Foundation/Foundation.h>
      @interface BaseReq : NSObject
      @end
      @interface BaseResp : NSObject
      @property(nonatomic) int errCode;
      @property(nonatomic, copy) NSString *errStr;
      @end
      @interface PayReq : BaseReq
      @property(nonatomic, copy) NSString *partnerId, *prepayId, *nonceStr, *package, *sign, *openID;
      @property(nonatomic) uint32_t timeStamp;
      @end
      @interface PayResp : BaseResp
      @end
      @protocol WXApiDelegate <NSObject>
      - (void)onResp:(BaseResp *)response;
      @end
      @interface WXApi : NSObject
      + (BOOL)registerApp:(NSString *)appid universalLink:(NSString *)universalLink;
      + (BOOL)isWXAppInstalled;
      + (BOOL)isWXAppSupportApi;
      + (void)sendReq:(BaseReq *)req completion:(void (^)(BOOL success))completion;
      + (BOOL)handleOpenURL:(NSURL *)url delegate:(id<WXApiDelegate>)delegate;
      + (BOOL)handleOpenUniversalLink:(NSUserActivity *)userActivity delegate:(id<WXApiDelegate>)delegate;
      @end
      """

    private func compile(_ change: (String) -> String = { $0 }) throws -> (code: Int32, output: String) {
      let root = Machine.repository
      let place = FileManager.default.temporaryDirectory.appending(path: "objective-c-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: place) }
      func write(_ text: String, to path: String) throws {
        let file = place.appending(path: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
      }
      func read(_ path: String) throws -> String { try String(contentsOf: root.appending(path: path), encoding: .utf8) }
      try write(Self.foundation, to: "Foundation/Foundation.h")
      try write(Self.kit, to: "UIKit/UIKit.h")
      try write(Self.weChat, to: "WXApi.h")
      try write(try read("docs/reference/objective-c/CounterfoilStoreKit-Swift.h.txt"), to: "Client.h")
      var sources: [String] = []
      for name in try FileManager.default.contentsOfDirectory(
        atPath: root.appending(path: "Examples/ObjectiveCShop").path)
      where name.hasSuffix(".m") || name.hasSuffix(".h") {
        let text = try read("Examples/ObjectiveCShop/\(name)")
          .replacing("@import CounterfoilStoreKit;", with: "#import \"Client.h\"")
        try write(change(text), to: name)
        if name.hasSuffix(".m") { sources.append(place.appending(path: name).path) }
      }
      #expect(sources.count == 2)
      let process = try OtherProgram(
        "/usr/bin/env",
        [
          "clang", "-fsyntax-only", "-x", "objective-c", "-fobjc-arc", "-fblocks", "-fobjc-runtime=ios-15.0", "-Wall",
          "-Werror", "-Wno-objc-root-class", "-I", place.path,
        ] + sources.sorted())
      let code = process.end()
      return (code, process.output + process.errors)
    }

    @Test func `calls what the client has, with the right types`() throws {
      let result = try compile()
      #expect(result.code == 0, "\(result.output)")
    }

    @Test func `is seen to be wrong where it calls what is not there`() throws {
      let result = try compile { $0.replacing("supportForOrder:", with: "supportOfOrder:") }
      #expect(result.code != 0 && result.output.contains("supportOfOrder"))
    }
  }
}
