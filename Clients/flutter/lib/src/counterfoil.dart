import 'package:flutter/services.dart';

import 'earlier_record.dart';
import 'events.dart';
import 'outcomes.dart';

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
  static Future<Counterfoil> start({
    required Uri server,
    required String weChatAppId,
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
      'weChatAppId': weChatAppId,
      'universalLink': universalLink,
      'language': language.name,
    });
    return client;
  }

  /// What happens, beginning with the open orders. Listen while a page shows it.
  Stream<PurchaseEvent> get events => _stream;

  /// The customer has agreed to the privacy policy, now or earlier. WeChat's SDK is not touched before.
  Future<bool> consentGiven() async => await _call<bool>('consentGiven') ?? false;

  /// Sets the signed-in user; null when nobody is signed in.
  Future<void> setUser(String? user) => _call<void>('setUser', {'user': user});

  /// Buys a product. Without [store] the platform's own is taken.
  ///
  /// Throws a [PurchasingError] if it did not begin, or failed.
  Future<PurchaseOutcome> purchase(
    String productId, {
    int quantity = 1,
    Store? store,
    String? reference,
    String? scene,
  }) async {
    final outcome = await _call<Map<Object?, Object?>>('purchase', {
      'productId': productId,
      'quantity': quantity,
      'store': store?.name,
      'reference': reference,
      'scene': scene,
    });
    return PurchaseOutcome.read(outcome!);
  }

  /// Completes what is open. The platform's half calls it itself at launch and whenever the app comes to the front.
  Future<RecoveryReport> recover([RecoveryReason reason = RecoveryReason.userAsked]) async {
    final report = await _call<Map<Object?, Object?>>('recover', {'reason': reason.name});
    return RecoveryReport.read(report!);
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
