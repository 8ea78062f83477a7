// WeChat for the client, over the OpenSDK that the app brings. Nothing of it runs before the customer has agreed to the
// privacy policy: make CFLWeChat with `hasConsent:NO`, and call `customerHasConsented` then.

#import "WeChatBridge.h"

@implementation WeChatBridge

- (BOOL)registerApp:(NSString *)appId universalLink:(NSString *)universalLink {
  return [WXApi registerApp:appId universalLink:universalLink];
}

- (BOOL)isWXAppInstalled { return [WXApi isWXAppInstalled]; }
- (BOOL)isWXAppSupportApi { return [WXApi isWXAppSupportApi]; }

- (void)sendPayment:(CFLWeChatPayment *)payment completion:(void (^)(BOOL))completion {
  PayReq *request = [[PayReq alloc] init];
  request.openID = payment.openID;
  request.partnerId = payment.partnerId;
  request.prepayId = payment.prepayId;
  request.package = payment.package;
  request.nonceStr = payment.nonceStr;
  request.timeStamp = payment.timeStamp;
  request.sign = payment.sign;
  [WXApi sendReq:request completion:completion];
}

- (BOOL)handleOpenURL:(NSURL *)url { return [WXApi handleOpenURL:url delegate:self]; }
- (BOOL)handleOpenUniversalLink:(NSUserActivity *)userActivity {
  return [WXApi handleOpenUniversalLink:userActivity delegate:self];
}

/// Of the OpenSDK's delegate.
- (void)onResp:(BaseResp *)response {
  if ([response isKindOfClass:PayResp.class]) {
    [self.weChat paymentEndedWithCode:response.errCode message:response.errStr];
  }
}

@end
