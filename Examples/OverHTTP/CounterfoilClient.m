// Counterfoil over HTTP alone, for Objective-C on iOS: StoreKit 1, no library.
//
// NOT COMPILED HERE: our tests have no StoreKit. The steps are those of Clients/javascript, which they do run. Written for
// iOS 15 or later, ARC. Copy the file and change what you like. The page docs/http-alone.md says why it is so.
//
//   CounterfoilClient *shop = [[CounterfoilClient alloc] initWithServer:url user:user credential:token signed:block];
//   [shop start];      // in application:didFinishLaunchingWithOptions:, after sign-in: completes what is open
//   [shop purchase:@"coins.100" quantity:1 completion:^(NSString *outcome) { … }];
//   [shop foreground]; // in applicationDidBecomeActive:
//
// What StoreKit 1 has not is the signed transaction: it needs nobody, where a receipt must be completed by Apple. Both
// StoreKits see the same store, so ten lines of Swift hand it over; `signed` calls them:
//
//   @objc static func signed(_ id: String, _ done: @escaping (String?) -> Void) {
//     Task {
//       for await result in Transaction.all where String(result.unsafePayloadValue.id) == id {
//         return done(result.jwsRepresentation)
//       }
//       done(nil)
//     }
//   }

#import <Foundation/Foundation.h>
#import <Security/Security.h>
#import <StoreKit/StoreKit.h>

typedef void (^CounterfoilAnswer)(NSInteger status, NSDictionary *answer); // 0: nobody knows whether it was done
typedef void (^CounterfoilSigned)(NSString *transactionId, void (^done)(NSString *jws));

@interface CounterfoilClient : NSObject <SKPaymentTransactionObserver>
- (instancetype)initWithServer:(NSURL *)server user:(NSString *)user credential:(NSString * (^)(void))credential
                        signed:(CounterfoilSigned)signedTransaction;
- (void)start;
- (void)foreground;
- (void)purchase:(NSString *)product quantity:(NSInteger)quantity completion:(void (^)(NSString *outcome))completion;
@end

@implementation CounterfoilClient { // everything runs on the main queue
  NSURL *_server;
  NSString *_user;
  NSString * (^_credential)(void); // a user token, or your own session
  CounterfoilSigned _signed;
  NSMutableDictionary *_orders;    // by idempotency key, which exists before the order does
  NSMutableDictionary *_evidence;  // by transaction id
  NSMutableArray *_usersKnown;
  NSMutableSet *_submitting, *_setAside;
  NSMutableDictionary<NSString *, void (^)(NSString *)> *_waiting; // by idempotency key
  BOOL _isReadable;
}

static NSArray *Pauses(void) { return @[ @0, @10, @30, @120 ]; } // seconds before each question for a verdict

- (instancetype)initWithServer:(NSURL *)server user:(NSString *)user credential:(NSString * (^)(void))credential
                        signed:(CounterfoilSigned)signedTransaction {
  if ((self = [super init])) {
    (_server = server, _user = user, _credential = credential, _signed = signedTransaction);
    (_submitting = [NSMutableSet set], _setAside = [NSMutableSet set], _waiting = [NSMutableDictionary dictionary]);
  }
  return self;
}

// Launch: one observer for the process, from the start, then whatever an earlier run left open.
- (void)start {
  if (_orders != nil) return;
  _isReadable = [self read];
  [SKPaymentQueue.defaultQueue addTransactionObserver:self]; // unfinished transactions come by themselves
  [self recover:^{}];
}

- (void)foreground {
  for (SKPaymentTransaction *one in SKPaymentQueue.defaultQueue.transactions) [self receive:one];
  [self askAboutOrders];
}

- (void)purchase:(NSString *)product quantity:(NSInteger)quantity completion:(void (^)(NSString *))completion {
  if (!SKPaymentQueue.canMakePayments) return completion(@"notAllowed");
  if (!_isReadable) return completion(@"vaultUnreadable"); // no payment without a record
  [self recover:^{ // what is unfinished first: it must not be taken for the new order
    for (NSDictionary *one in self->_evidence.allValues) {
      if ([one[@"ours"] isEqual:product] && one[@"verdict"] == nil) return completion(@"earlierPurchaseOpen");
    }
    NSString *key = NSUUID.UUID.UUIDString;
    self->_orders[key] = [@{ @"user" : self->_user, @"productId" : product, @"quantity" : @(quantity),
                             @"state" : @"requested" } mutableCopy];
    if (![self write]) return completion(@"vaultUnwritable"); // before the request: no lost answer loses the order
    [self makeOrder:key attempt:0 then:^(BOOL made) {
      if (!made) return completion(@"noOrder");
      NSMutableDictionary *record = self->_orders[key];
      record[@"state"] = @"paying";
      if (![self write]) return completion(@"vaultUnwritable"); // before the sheet: no charge without its order
      self->_waiting[key] = completion;
      SKMutablePayment *payment = [SKMutablePayment new];
      payment.productIdentifier = record[@"order"][@"appStore"][@"productId"];
      payment.quantity = quantity;
      payment.applicationUsername = record[@"order"][@"appStore"][@"appAccountToken"]; // a UUID: Apple signs it
      [SKPaymentQueue.defaultQueue addPayment:payment];
      [self after:30 do:^{ // the callback may be lost: look, and ask
        [self foreground];
        [self after:20 do:^{ [self decide:key outcome:@"awaitingConfirmation"]; }];
      }];
    }];
  }];
}

- (void)recover:(void (^)(void))then {
  [self adoptOpenOrders:^{
    for (NSString *key in self->_orders.allKeys) {
      NSDictionary *record = self->_orders[key];
      if ([record[@"user"] isEqual:self->_user] && [record[@"state"] isEqual:@"requested"]) {
        [self makeOrder:key attempt:0 then:^(BOOL made) { [self askAboutOrders]; }];
      }
    }
    [self foreground];
    for (NSString *number in self->_evidence.allKeys) [self submit:number transaction:nil attempt:0];
    then();
  }];
}

#pragma mark Orders

- (void)makeOrder:(NSString *)key attempt:(NSUInteger)attempt then:(void (^)(BOOL))then {
  NSMutableDictionary *record = _orders[key];
  NSDictionary *body = @{ @"productId" : record[@"productId"], @"quantity" : record[@"quantity"],
                          @"store" : @"appStore", @"platform" : @"ios" };
  [self ask:@"POST" path:@"/v1/orders" body:body key:key then:^(NSInteger status, NSDictionary *answer) {
    if (status == 200 || status == 201) {
      record[@"order"] = answer;
      record[@"state"] = @"created";
      then([self write]);
    } else if ([@[ @400, @404, @409, @422 ] containsObject:@(status)]) {
      [self->_orders removeObjectForKey:key]; // the server refused to make it: there is none
      [self write];
      then(NO);
    } else if (attempt < 2) {
      [self after:attempt == 0 ? 1 : 3 do:^{ [self makeOrder:key attempt:attempt + 1 then:then]; }];
    } else {
      then(NO); // nobody knows; the next launch asks again under the same key
    }
  }];
}

// A new device, or a Keychain that was cleared: the server's list stands in for the vault.
- (void)adoptOpenOrders:(void (^)(void))then {
  if (!_isReadable || [_usersKnown containsObject:_user]) return then();
  NSString *path = @"/v1/orders?open=true&limit=100";
  [self ask:@"GET" path:path body:nil key:nil then:^(NSInteger status, NSDictionary *page) {
    if (status != 200) return then();
    NSArray *known = [self->_orders.allValues valueForKeyPath:@"order.id"];
    for (NSDictionary *order in page[@"orders"]) {
      if ([known containsObject:order[@"id"]]) continue;
      self->_orders[order[@"id"]] = [@{ @"user" : self->_user, @"productId" : order[@"productId"], @"order" : order,
                                        @"quantity" : order[@"quantity"], @"state" : @"paying" } mutableCopy];
    }
    [self->_usersKnown addObject:self->_user];
    [self write];
    then();
  }];
}

- (void)askAboutOrders {
  for (NSString *key in _orders.allKeys) {
    NSMutableDictionary *record = _orders[key];
    if (![record[@"user"] isEqual:_user] || record[@"order"] == nil) continue;
    if ([record[@"state"] isEqual:@"created"]) continue; // its sheet is about to open, or never did; it expires
    NSString *path = [@"/v1/orders/" stringByAppendingString:record[@"order"][@"id"]];
    [self ask:@"GET" path:path body:nil key:nil then:^(NSInteger status, NSDictionary *order) {
      BOOL isPaid = [order[@"state"] isEqual:@"paid"];
      BOOL isClosed = [order[@"state"] isEqual:@"closed"] && ![self mayStillBePaid:record];
      if (status == 200 && (isPaid || isClosed)) {
        [self->_orders removeObjectForKey:key];
        [self write];
        [self decide:key outcome:isPaid ? @"bought" : @"closed"];
      } else if ([record[@"state"] isEqual:@"deferred"]) {
        [self ask:@"POST" path:[path stringByAppendingString:@"/approval-pending"] body:@{} key:nil
             then:^(NSInteger ignored, NSDictionary *alsoIgnored) {}];
      }
    }];
  }
}

- (BOOL)mayStillBePaid:(NSDictionary *)record {
  for (SKPaymentTransaction *one in SKPaymentQueue.defaultQueue.transactions) {
    if ([one.payment.productIdentifier isEqual:record[@"order"][@"appStore"][@"productId"]]) return YES;
  }
  return NO;
}

- (void)decide:(NSString *)key outcome:(NSString *)outcome {
  void (^completion)(NSString *) = _waiting[key];
  [_waiting removeObjectForKey:key]; // told once
  if (completion != nil) completion(outcome);
}

#pragma mark Transactions

- (void)paymentQueue:(SKPaymentQueue *)queue updatedTransactions:(NSArray<SKPaymentTransaction *> *)transactions {
  for (SKPaymentTransaction *one in transactions) [self receive:one];
}

- (void)receive:(SKPaymentTransaction *)one {
  switch (one.transactionState) {
    case SKPaymentTransactionStatePurchasing: return;
    case SKPaymentTransactionStateDeferred: return [self mark:one as:@"deferred"];
    case SKPaymentTransactionStateFailed:
      [self mark:one as:@"failedOnce"]; // never final: a charge may follow, so the order stays
      return [SKPaymentQueue.defaultQueue finishTransaction:one]; // there is no charge in it
    case SKPaymentTransactionStatePurchased:
    case SKPaymentTransactionStateRestored: break;
  }
  NSString *number = one.transactionIdentifier;
  if (number == nil) return;
  if (_evidence[number] == nil) {
    NSMutableDictionary *kept = [@{ @"product" : one.payment.productIdentifier ?: @"",
                                    @"quantity" : @(one.payment.quantity) } mutableCopy];
    kept[@"token"] = one.payment.applicationUsername; // nil after a relaunch; the signed transaction may still have it
    kept[@"ours"] = [self recordsFor:one].firstObject[@"productId"];
    _evidence[number] = kept;
    [self write]; // before it is sent; if that fails it is sent all the same: the queue still holds it
  }
  [self submit:number transaction:one attempt:0];
}

- (NSArray<NSMutableDictionary *> *)recordsFor:(SKPaymentTransaction *)one {
  return [_orders.allValues filteredArrayUsingPredicate:[NSPredicate predicateWithBlock:^BOOL(id record, id ignored) {
    if (record[@"order"] == nil || [record[@"state"] isEqual:@"created"]) return NO;
    NSString *token = one.payment.applicationUsername;
    if (token != nil) return [token.lowercaseString isEqual:record[@"order"][@"id"]];
    return [record[@"order"][@"appStore"][@"productId"] isEqual:one.payment.productIdentifier]
        && [record[@"quantity"] isEqual:@(one.payment.quantity)];
  }]];
}

- (void)mark:(SKPaymentTransaction *)one as:(NSString *)state {
  NSArray<NSMutableDictionary *> *fitting = [self recordsFor:one];
  if (fitting.count != 1 || [fitting[0][@"state"] isEqual:state]) return;
  fitting[0][@"state"] = state;
  [self write];
  NSString *key = [_orders allKeysForObject:fitting[0]].firstObject;
  if (key != nil) [self decide:key outcome:state];
  if ([state isEqual:@"deferred"]) [self askAboutOrders];
}

- (void)submit:(NSString *)number transaction:(SKPaymentTransaction *)one attempt:(NSUInteger)attempt {
  if (attempt == 0 && ([_submitting containsObject:number] || [_setAside containsObject:number])) return;
  if (attempt >= Pauses().count) return [_submitting removeObject:number]; // the next launch or purchase asks again
  [_submitting addObject:number];
  [self after:[Pauses()[attempt] doubleValue] do:^{
    self->_signed(number, ^(NSString *jws) {
      dispatch_async(dispatch_get_main_queue(), ^{ [self send:jws number:number transaction:one attempt:attempt]; });
    });
  }];
}

- (void)send:(NSString *)jws number:(NSString *)number transaction:(SKPaymentTransaction *)one
     attempt:(NSUInteger)attempt {
  NSMutableDictionary *kept = _evidence[number];
  if (kept == nil) return [_submitting removeObject:number];
  if (jws != nil) kept[@"evidence"] = jws;
  NSMutableArray *names = [NSMutableArray array];
  for (NSDictionary *record in one == nil ? _orders.allValues : [self recordsFor:one]) {
    NSDictionary *order = record[@"order"];
    if ([order[@"appStore"][@"productId"] isEqual:kept[@"product"]]) [names addObject:order[@"id"]];
  }
  NSMutableDictionary *body = [@{ @"transactionId" : number, @"orderIds" : names } mutableCopy];
  body[@"evidence"] = kept[@"evidence"];
  [self ask:@"POST" path:@"/v1/payments/app-store" body:body key:nil then:^(NSInteger status, NSDictionary *answer) {
    NSDictionary *payment = nil; // a problem is no verdict: nothing is finished
    for (NSDictionary *each in status == 200 ? answer[@"payments"] : @[]) {
      if ([each[@"transactionId"] isEqual:number]) payment = each;
    }
    if (payment == nil || [payment[@"verdict"] isEqual:@"pending"]) {
      return [self submit:number transaction:one attempt:attempt + 1];
    }
    [self->_submitting removeObject:number];
    [self take:payment number:number transaction:one];
  }];
}

- (void)take:(NSDictionary *)payment number:(NSString *)number transaction:(SKPaymentTransaction *)one {
  if (![payment[@"finish"] boolValue]) {
    _evidence[number][@"verdict"] = payment[@"verdict"];
    [_setAside addObject:number]; // until the next launch
    [self write];
    return;
  }
  if (one != nil) [SKPaymentQueue.defaultQueue finishTransaction:one]; // on the server's word alone
  [_evidence removeObjectForKey:number];
  NSMutableArray *ended = [NSMutableArray array];
  for (NSString *key in _orders.allKeys) {
    BOOL isPaid = [payment[@"verdict"] isEqual:@"fulfilled"];
    if (isPaid && [_orders[key][@"order"][@"id"] isEqual:payment[@"orderId"]]) [ended addObject:key];
  }
  [_orders removeObjectsForKeys:ended];
  [self write];
  for (NSString *key in ended) [self decide:key outcome:@"bought"];
}

#pragma mark Doors

- (void)after:(NSTimeInterval)seconds do:(dispatch_block_t)block {
  dispatch_after(dispatch_time(DISPATCH_TIME_NOW, (int64_t)(seconds * NSEC_PER_SEC)), dispatch_get_main_queue(), block);
}

- (void)ask:(NSString *)method path:(NSString *)path body:(NSDictionary *)body key:(NSString *)key
       then:(CounterfoilAnswer)then {
  NSURL *url = [NSURL URLWithString:path relativeToURL:_server];
  NSMutableURLRequest *request = [NSMutableURLRequest requestWithURL:url];
  request.HTTPMethod = method;
  request.timeoutInterval = 10;
  [request setValue:[@"Bearer " stringByAppendingString:_credential()] forHTTPHeaderField:@"Authorization"];
  [request setValue:key forHTTPHeaderField:@"Idempotency-Key"];
  if (body != nil) {
    [request setValue:@"application/json" forHTTPHeaderField:@"Content-Type"];
    request.HTTPBody = [NSJSONSerialization dataWithJSONObject:body options:0 error:nil];
  }
  [[NSURLSession.sharedSession dataTaskWithRequest:request completionHandler:^(NSData *data, NSURLResponse *response,
                                                                              NSError *error) {
    id read = data == nil ? nil : [NSJSONSerialization JSONObjectWithData:data options:0 error:nil];
    NSDictionary *answer = [read isKindOfClass:NSDictionary.class] ? read : nil;
    NSInteger status = error != nil || answer == nil ? 0 : ((NSHTTPURLResponse *)response).statusCode;
    dispatch_async(dispatch_get_main_queue(), ^{ then(status, answer); });
  }] resume];
}

// The Keychain survives uninstalling; readable after the first unlock, on this device only.
- (NSMutableDictionary *)query {
  return [@{ (id)kSecClass : (id)kSecClassGenericPassword, (id)kSecAttrService : @"counterfoil",
             (id)kSecAttrAccount : @"orders" } mutableCopy];
}

- (BOOL)read {
  NSMutableDictionary *query = [self query];
  query[(id)kSecReturnData] = @YES;
  CFTypeRef found = NULL;
  OSStatus status = SecItemCopyMatching((__bridge CFDictionaryRef)query, &found);
  NSData *data = CFBridgingRelease(found);
  id kept = data == nil ? @{} : [NSJSONSerialization JSONObjectWithData:data options:NSJSONReadingMutableContainers
                                                                  error:nil];
  _orders = kept[@"orders"] ?: [NSMutableDictionary dictionary];
  _evidence = kept[@"evidence"] ?: [NSMutableDictionary dictionary];
  _usersKnown = kept[@"usersKnown"] ?: [NSMutableArray array];
  return kept != nil && (status == errSecSuccess || status == errSecItemNotFound);
}

- (BOOL)write {
  if (!_isReadable) return NO; // what could not be read must not be replaced
  NSDictionary *kept = @{ @"version" : @1, @"orders" : _orders, @"evidence" : _evidence, @"usersKnown" : _usersKnown };
  NSDictionary *values = @{ (id)kSecValueData : [NSJSONSerialization dataWithJSONObject:kept options:0 error:nil],
                            (id)kSecAttrAccessible : (id)kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly };
  OSStatus status = SecItemUpdate((__bridge CFDictionaryRef)[self query], (__bridge CFDictionaryRef)values);
  if (status == errSecItemNotFound) {
    NSMutableDictionary *item = [self query];
    [item addEntriesFromDictionary:values];
    status = SecItemAdd((__bridge CFDictionaryRef)item, NULL);
  }
  return status == errSecSuccess;
}
@end
