// The part of CounterfoilStoreKit for Objective-C, as Xcode makes it from the sources: `make errors` writes this file.
#import <Foundation/Foundation.h>
#import <UIKit/UIKit.h>

NS_ASSUME_NONNULL_BEGIN
@class CFLBalance;
@class CFLConfiguration;
@class CFLEarlierRecord;
@class CFLEntitlement;
@class CFLOpenOrder;
@class CFLProduct;
@class CFLPromotedPayment;
@class CFLPurchaseDetails;
@class CFLPurchasing;
@class CFLWeChat;
@class CFLWeChatPayment;

typedef NS_ENUM(NSInteger, CFLPurchaseState) {
  CFLPurchaseStateFulfilled = 0,
  CFLPurchaseStateCancelled = 1,
  CFLPurchaseStatePendingApproval = 2,
  CFLPurchaseStateAwaitingConfirmation = 3,
  CFLPurchaseStateNotGranted = 4,
  CFLPurchaseStateFailed = 5,
  CFLPurchaseStateRenewalChanged = 6,
};

typedef NS_ENUM(NSInteger, CFLRecoveryReason) {
  CFLRecoveryReasonForeground = 0,
  CFLRecoveryReasonNetworkBack = 1,
  CFLRecoveryReasonUserAsked = 2,
  CFLRecoveryReasonPush = 3,
  CFLRecoveryReasonLink = 4,
};

@protocol CFLWeChatSDK <NSObject>
- (BOOL)registerApp:(NSString *)appId universalLink:(NSString *)universalLink;
- (BOOL)isWXAppInstalled;
- (BOOL)isWXAppSupportApi;
- (void)sendPayment:(CFLWeChatPayment *)payment completion:(void (^)(BOOL))completion;
- (BOOL)handleOpenURL:(NSURL *)url;
- (BOOL)handleOpenUniversalLink:(NSUserActivity *)userActivity;
@end

@interface CFLConfiguration : NSObject
@property(nonatomic, readonly) NSString *server;
@property(nonatomic, readonly) NSString *app;
@property(nonatomic, copy, nullable) NSString *publishableKey;
@property(nonatomic, copy) NSArray<NSString *> *storeProducts;
@property(nonatomic) BOOL usesStoreKit1;
@property(nonatomic) BOOL sendsDiagnostics;
@property(nonatomic) BOOL allowsLocalNetworkForDebugging;
@property(nonatomic, copy, nullable) void (^log)(NSString *);
- (instancetype)initWithServer:(NSString *)server app:(NSString *)app userToken:(void (^)(NSString *user, BOOL wasRefused, void (^answer)(NSString * _Nullable)))userToken;
@end

@interface CFLPurchasing : NSObject
@property(nonatomic, class, readonly) NSNotificationName eventNotification;
- (nullable instancetype)initWithConfiguration:(CFLConfiguration *)configuration error:(NSError **)error;
- (nullable instancetype)initWithConfiguration:(CFLConfiguration *)configuration weChat:(CFLWeChat *)weChat error:(NSError **)error;
- (void)start;
- (void)setUser:(nullable NSString *)user completion:(void (^ _Nullable)(void))completion;
- (void)purchase:(NSString *)product quantity:(NSInteger)quantity completion:(void (^)(CFLPurchaseState, NSString * _Nullable orderId, NSError * _Nullable))completion;
- (void)purchase:(NSString *)product details:(CFLPurchaseDetails *)details completion:(void (^)(CFLPurchaseState, NSString * _Nullable orderId, NSError * _Nullable))completion;
- (void)recover:(CFLRecoveryReason)reason completion:(void (^ _Nullable)(NSInteger fulfilled, NSInteger waiting))completion;
- (void)restorePurchasesWithCompletion:(void (^)(NSInteger fulfilled, NSError * _Nullable))completion;
- (void)entitlementsWithCompletion:(void (^)(NSArray<CFLEntitlement *> * _Nullable, NSError * _Nullable))completion;
- (void)balancesWithCompletion:(void (^)(NSArray<CFLBalance *> * _Nullable, NSError * _Nullable))completion;
- (void)products:(NSArray<NSString *> *)identifiers completion:(void (^)(NSArray<CFLProduct *> *, NSArray<NSString *> *unknown, NSError * _Nullable))completion;
- (void)openOrdersWithCompletion:(void (^)(NSArray<CFLOpenOrder *> *))completion;
- (void)supportForOrder:(NSString *)orderId completion:(void (^)(NSString * _Nullable code, NSString * _Nullable text))completion;
- (void)takeOver:(NSArray<CFLEarlierRecord *> *)records completion:(void (^)(NSError * _Nullable))completion;
- (void)manageSubscriptionsIn:(UIWindowScene *)scene completion:(void (^ _Nullable)(NSError * _Nullable))completion;
- (void)requestRefundOfTransaction:(NSString *)transactionId in:(UIWindowScene *)scene completion:(void (^)(BOOL isSent, NSError * _Nullable))completion;
- (void)redeemOfferCodeIn:(UIWindowScene *)scene completion:(void (^ _Nullable)(NSError * _Nullable))completion;
@end

@interface CFLEntitlement : NSObject
@property(nonatomic, readonly) NSString *entitlement;
@property(nonatomic, readonly) NSString *state;
@property(nonatomic, readonly) BOOL givesAccess;
@property(nonatomic, readonly, nullable) NSDate *expiresAt;
@property(nonatomic, readonly, nullable) NSNumber *willRenew;
@property(nonatomic, readonly, nullable) NSString *renewsTo;
@property(nonatomic, readonly, nullable) NSDate *gracePeriodExpiresAt;
@property(nonatomic, readonly, nullable) NSString *reason;
@property(nonatomic, readonly) NSString *store;
@property(nonatomic, readonly) NSString *environment;
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
@end

@interface CFLBalance : NSObject
@property(nonatomic, readonly) NSString *unit;
@property(nonatomic, readonly) int64_t amount;
@property(nonatomic, readonly) NSString *environment;
@property(nonatomic, readonly, nullable) NSDate *frozenSince;
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
@end

@interface CFLProduct : NSObject
@property(nonatomic, readonly) NSString *productIdentifier;
@property(nonatomic, readonly) NSString *name;
@property(nonatomic, readonly) NSString *productDescription;
@property(nonatomic, readonly) NSString *displayPrice;
@property(nonatomic, readonly, nullable) NSNumber *priceMilliunits;
@property(nonatomic, readonly, nullable) NSString *currency;
@property(nonatomic, readonly, nullable) NSString *kind;
@property(nonatomic, readonly, nullable) NSString *subscriptionGroup;
@property(nonatomic, readonly) BOOL isFamilyShareable;
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
@end

@interface CFLOpenOrder : NSObject
@property(nonatomic, readonly) NSString *orderId;
@property(nonatomic, readonly) NSString *supportCode;
@property(nonatomic, readonly) NSString *product;
@property(nonatomic, readonly) NSInteger quantity;
@property(nonatomic, readonly) NSString *store;
@property(nonatomic, readonly) NSString *phase;
@property(nonatomic, readonly) NSDate *createdAt;
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
@end

@interface CFLPurchaseDetails : NSObject
@property(nonatomic) NSInteger quantity;
@property(nonatomic, copy, nullable) NSString *store;
@property(nonatomic, copy, nullable) NSString *scene;
@property(nonatomic, copy, nullable) NSString *reference;
@property(nonatomic, copy, nullable) NSString *promotionalOffer;
@property(nonatomic, copy, nullable) NSString *winBackOffer;
@property(nonatomic, copy, nullable) CFLPromotedPayment *promotedPayment;
- (instancetype)init;
@end

@interface CFLPromotedPayment : NSObject
@property(nonatomic, readonly) NSString *productIdentifier;
@property(nonatomic, readonly) NSInteger quantity;
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
@end

@interface CFLEarlierRecord : NSObject
@property(nonatomic, readonly) NSString *reference;
@property(nonatomic, readonly) NSString *productIdentifier;
@property(nonatomic, readonly) NSString *user;
@property(nonatomic) NSInteger quantity;
@property(nonatomic, copy, nullable) NSString *evidence;
@property(nonatomic, copy, nullable) NSString *transactionId;
@property(nonatomic, copy, nullable) NSString *amount;
@property(nonatomic, copy, nullable) NSString *currency;
- (instancetype)initWithReference:(NSString *)reference productIdentifier:(NSString *)productIdentifier user:(NSString *)user;
@end

@interface CFLWeChatPayment : NSObject
@property(nonatomic, readonly) NSString *openID;
@property(nonatomic, readonly) NSString *partnerId;
@property(nonatomic, readonly) NSString *prepayId;
@property(nonatomic, readonly) NSString *package;
@property(nonatomic, readonly) NSString *nonceStr;
@property(nonatomic, readonly) uint32_t timeStamp;
@property(nonatomic, readonly) NSString *sign;
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
@end

@interface CFLWeChat : NSObject
- (instancetype)initWithSdk:(id<CFLWeChatSDK>)sdk appId:(NSString *)appId universalLink:(NSString *)universalLink hasConsent:(BOOL)hasConsent;
- (void)customerHasConsented;
- (BOOL)handleOpenURL:(NSURL *)url;
- (BOOL)handleOpenUniversalLink:(NSUserActivity *)userActivity;
- (void)paymentEndedWithCode:(NSInteger)code message:(nullable NSString *)message;
@end

NS_ASSUME_NONNULL_END

