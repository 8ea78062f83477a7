#import <UIKit/UIKit.h>
@import CounterfoilStoreKit;

@interface ShopViewController : UIViewController
- (instancetype)initWithPurchasing:(CFLPurchasing *)purchasing;
- (void)buyThroughWeChat:(NSString *)product;
- (void)restore;
@end
