import 'package:flutter/services.dart';

import 'earlier_record.dart';
import 'events.dart';
import 'outcomes.dart';
import 'rights.dart';

/// The store that receives a payment.
enum Store { appStore, weChatPay }

/// The language of the texts for customers.
enum CounterfoilLanguage { en, zh }

/// Why the client looks for open purchases now.
enum RecoveryReason { foreground, link, networkBack, userAsked, push }

/// Gives the token of a user, from your backend. With [wasRefused] the server refused the last one: fetch a new one.
typedef UserToken = Future<String?> Function(String user, {required bool wasRefused});

/// Buys, and completes what a crash or a lost callback left open.
///
/// All of it happens in the platform's half. This class passes messages on, and decides nothing.
final class Counterfoil {
  Counterfoil._(this._calls, this._events);

  final MethodChannel _calls;
  final EventChannel _events;
  late final Stream<PurchaseEvent> _stream =
      _events.receiveBroadcastStream().map((event) => PurchaseEvent.read(event as Map<Object?, Object?>));

  /// Starts the client of the process. Call it in `main`, before `runApp`. After a hot restart it finds the client
  /// that runs.
  ///
  /// [app] is the app as the server's configuration names it. Android needs [weChatAppId]; iOS needs it, with
  /// [universalLink], for physical goods alone.
  static Future<Counterfoil> start({
    required Uri server,
    required String app,
    String? weChatAppId,
    required UserToken userToken,
    String? universalLink,
    CounterfoilLanguage language = CounterfoilLanguage.zh,
    MethodChannel calls = const MethodChannel('counterfoil_flutter'),
    EventChannel events = const EventChannel('counterfoil_flutter/events'),
  }) async {
    final client = Counterfoil._(calls, events);
    calls.setMethodCallHandler((call) async {
      if (call.method != 'userToken') throw MissingPluginException();
      final asked = call.arguments as Map<Object?, Object?>;
      return userToken(asked['user']! as String, wasRefused: asked['wasRefused'] == true);
    });
    await client._call<void>('configure', {
      'server': '$server',
      'app': app,
      'weChatAppId': weChatAppId,
      'universalLink': universalLink,
      'language': language.name,
    });
    return client;
  }

  /// What happens, beginning with the open orders. Listen while a page shows it.
  Stream<PurchaseEvent> get events => _stream;

  /// The customer has agreed to the privacy policy, now or earlier. WeChat's SDK is not touched before. False where the
  /// app has no WeChat.
  Future<bool> consentGiven() async => await _call<bool>('consentGiven') ?? false;

  /// Sets the signed-in user; null when nobody is signed in.
  Future<void> setUser(String? user) => _call<void>('setUser', {'user': user});

  /// Buys a product. Without [store] the platform's own is taken. [promotionalOffer] is an offer of the App Store that
  /// the server signs for this order; [winBackOffer] is one that Apple gives by itself (iOS 18).
  ///
  /// Throws a [PurchasingError] if it did not begin, or failed.
  Future<PurchaseOutcome> purchase(
    String productId, {
    int quantity = 1,
    Store? store,
    String? reference,
    String? scene,
    String? promotionalOffer,
    String? winBackOffer,
  }) async {
    final outcome = await _call<Map<Object?, Object?>>('purchase', {
      'productId': productId,
      'quantity': quantity,
      'store': store?.name,
      'reference': reference,
      'scene': scene,
      'promotionalOffer': promotionalOffer,
      'winBackOffer': winBackOffer,
    });
    return PurchaseOutcome.read(outcome!);
  }

  /// Completes what is open. The platform's half calls it itself at launch and whenever the app comes to the front.
  Future<RecoveryReport> recover([RecoveryReason reason = RecoveryReason.userAsked]) async {
    final report = await _call<Map<Object?, Object?>>('recover', {'reason': reason.name});
    return RecoveryReport.read(report!);
  }

  /// Asks the App Store for earlier purchases. Call it only when the customer taps for it: the store may ask for their
  /// password. WeChat Pay has nothing to restore.
  Future<RestoreReport> restorePurchases() async {
    final report = await _call<Map<Object?, Object?>>('restorePurchases');
    return RestoreReport.read(report!);
  }

  /// The products for sale on this device. An error never means that nothing is for sale.
  Future<ProductList> products() async {
    final list = await _call<Map<Object?, Object?>>('products');
    return ProductList.read(list!);
  }

  /// The signed-in user's balances, as the server says now. An error never means that the user has nothing.
  Future<List<Balance>> balances() async {
    final balances = await _call<List<Object?>>('balances');
    return [for (final balance in balances!) Balance.read(balance! as Map<Object?, Object?>)];
  }

  /// The signed-in user's entitlements, as the server says now. An error never means that the user has none.
  Future<List<Entitlement>> entitlements() async {
    final rights = await _call<List<Object?>>('entitlements');
    return [for (final right in rights!) Entitlement.read(right! as Map<Object?, Object?>)];
  }

  /// The signed-in user's orders that are not decided yet.
  Future<List<OpenOrder>> openOrders() async {
    final orders = await _call<List<Object?>>('openOrders');
    return [for (final order in orders!) OpenOrder.read(order! as Map<Object?, Object?>)];
  }

  /// Takes what the app's earlier code stored. When it returns, it is kept, and the app may delete its own.
  ///
  /// Returns the numbers that no server could know, because of their form. They are not kept here.
  Future<List<String>> takeOver(List<EarlierRecord> records) async {
    final unusable = await _call<List<Object?>>('takeOver', {
      'records': [
        for (final record in records)
          {'reference': record.reference, 'user': record.user, 'productId': record.productId},
      ],
    });
    return [for (final reference in unusable!) reference! as String];
  }

  /// Lets the customer ask Apple for a refund of an order. Apple decides within days, and the server hears of it. iOS
  /// alone has such a sheet.
  Future<RefundRequest> requestRefund(String order) async {
    final request = await _call<String>('requestRefund', {'order': order});
    return RefundRequest.read(request!);
  }

  /// Lets the customer redeem an offer code of the App Store. What it brings comes as an event.
  Future<void> redeemOfferCode() => _call<void>('redeemOfferCode');

  /// Shows the customer's subscriptions at the App Store, to change or to end them.
  Future<void> manageSubscriptions() => _call<void>('manageSubscriptions');

  /// Passes on a response that fluwx received. It ends the wait, and decides nothing.
  Future<void> weChatResponded(int errCode, {String? prepayId, String? extData}) => _call<void>('weChatResponded', {
        'errCode': errCode,
        'prepayId': prepayId,
        'extData': extData,
      });

  Future<Value?> _call<Value>(String method, [Map<String, Object?>? arguments]) async {
    try {
      return await _calls.invokeMethod<Value>(method, arguments);
    } on PlatformException catch (error) {
      throw PurchasingError.read(error.code, error.message, error.details);
    }
  }
}
