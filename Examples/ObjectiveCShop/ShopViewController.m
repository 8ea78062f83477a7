// A shop page in Objective-C: prices, purchase, open orders, restore, WeChat. Make one CFLPurchasing in the app delegate,
// call `start` there, and hand it to each page.

#import "ShopViewController.h"

@interface ShopViewController ()
@property(nonatomic, strong) CFLPurchasing *purchasing;
@property(nonatomic, copy) NSArray<CFLProduct *> *products;
@property(nonatomic, copy) NSArray<CFLOpenOrder *> *openOrders;
@property(nonatomic, strong) NSMutableSet<NSString *> *buying;
@end

/// Our product ids with Apple's, as in the server's catalog.
static NSDictionary<NSString *, NSString *> *Items(void) {
  return @{@"com.example.coins60" : @"coins60", @"com.example.coins300" : @"coins300"};
}

@implementation ShopViewController

- (instancetype)initWithPurchasing:(CFLPurchasing *)purchasing {
  if ((self = [super init])) {
    _purchasing = purchasing;
    _buying = [NSMutableSet set];
    [NSNotificationCenter.defaultCenter addObserver:self
                                           selector:@selector(eventCame:)
                                               name:CFLPurchasing.eventNotification
                                             object:nil];
  }
  return self;
}

- (void)viewDidLoad {
  [super viewDidLoad];
  __weak typeof(self) weakSelf = self;
  [self.purchasing products:Items().allKeys
                 completion:^(NSArray<CFLProduct *> *products, NSArray<NSString *> *unknown, NSError *error) {
                   weakSelf.products = products;
                 }];
}

/// `userInfo` names the event. The page shows open orders; the grant itself comes from the server.
- (void)eventCame:(NSNotification *)notification {
  CFLPromotedPayment *promoted = notification.userInfo[@"promotedPayment"];
  if (promoted) {
    CFLPurchaseDetails *details = [[CFLPurchaseDetails alloc] init];
    details.quantity = promoted.quantity;
    details.promotedPayment = promoted;
    [self buy:Items()[promoted.productIdentifier] details:details];
  }
  __weak typeof(self) weakSelf = self;
  [self.purchasing openOrdersWithCompletion:^(NSArray<CFLOpenOrder *> *orders) {
    weakSelf.openOrders = orders;
  }];
}

- (void)buy:(NSString *)product details:(CFLPurchaseDetails *)details {
  // Two taps are one purchase.
  if (product == nil || [self.buying containsObject:product]) return;
  [self.buying addObject:product];
  __weak typeof(self) weakSelf = self;
  [self.purchasing purchase:product
                    details:details
                 completion:^(CFLPurchaseState state, NSString *orderId, NSString *message, NSError *error) {
                   [weakSelf.buying removeObject:product];
                   // The customer knows that they cancelled.
                   if (state == CFLPurchaseStateCancelled) return;
                   [weakSelf show:message];
                 }];
}

- (void)buyThroughWeChat:(NSString *)product {
  CFLPurchaseDetails *details = [[CFLPurchaseDetails alloc] init];
  details.store = @"weChatPay";
  [self buy:product details:details];
}

- (void)restore {
  __weak typeof(self) weakSelf = self;
  [self.purchasing restorePurchasesWithCompletion:^(NSInteger fulfilled, NSError *error) {
    [weakSelf show:error ? error.localizedDescription : [NSString stringWithFormat:@"%ld", (long)fulfilled]];
  }];
}

/// The store's own messages, such as a price increase, when nothing lies over a payment.
- (void)showStoreMessages {
  __weak typeof(self) weakSelf = self;
  if (@available(iOS 16.0, *)) {
    [self.purchasing holdStoreMessages:^(CFLStoreMessage *message) {
      if (weakSelf.buying.count == 0) [message showIn:nil completion:nil];
    }];
  }
}

- (void)sendToSupport:(CFLOpenOrder *)order {
  __weak typeof(self) weakSelf = self;
  [self.purchasing supportForOrder:order.orderId
                        completion:^(NSString *code, NSString *text) {
                          [weakSelf show:code];
                        }];
}

- (void)takeOverStoredRecords {
  CFLEarlierRecord *record = [[CFLEarlierRecord alloc] initWithReference:@"A-17"
                                                       productIdentifier:@"com.example.coins60"
                                                                    user:@"user-1"];
  [self.purchasing takeOver:@[ record ]
                 completion:^(NSError *error) {
                   // Without an error the earlier copies may be erased.
                 }];
}

- (void)show:(NSString *)text {
  NSLog(@"%@", text);
}

@end
