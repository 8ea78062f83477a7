#import "WXApi.h"
@import CounterfoilStoreKit;

@interface WeChatBridge : NSObject <CFLWeChatSDK, WXApiDelegate>
@property(nonatomic, weak) CFLWeChat *weChat;
@end
