// Counterfoil over HTTP alone, for Flutter: in place of a hand-written wrapper around in_app_purchase and fluwx.
//
// NOT COMPILED HERE: our tests have no Dart. The steps are those of Clients/javascript, which they do run. Written for
// in_app_purchase_storekit 0.4 with StoreKit 2, fluwx 5, flutter_secure_storage 9, http 1, uuid 4. Copy the file, and
// change what you like. The page docs/http-alone.md says why it is so.
//
//   final shop = CounterfoilClient(server: Uri.parse('https://gateway.example'), user: user, credential: session);
//   await shop.start();                              // once, at launch, after sign-in: completes what is open
//   final outcome = await shop.purchase('coins.100');
//
// Apple devices pay through In-App Purchase, others through WeChat Pay. A server without WeChat Pay refuses such orders
// with `store_not_configured`; `purchase` then says `noOrder`.
import 'dart:async';
import 'dart:convert';
import 'dart:io';

import 'package:flutter/widgets.dart';
import 'package:flutter_secure_storage/flutter_secure_storage.dart';
import 'package:fluwx/fluwx.dart';
import 'package:http/http.dart' as http;
import 'package:in_app_purchase/in_app_purchase.dart';
import 'package:in_app_purchase_storekit/in_app_purchase_storekit.dart';
import 'package:in_app_purchase_storekit/store_kit_2_wrappers.dart';
import 'package:uuid/uuid.dart';

class CounterfoilClient with WidgetsBindingObserver {
  CounterfoilClient({required this.server, required this.user, required this.credential, this.weChatAppId, this.fluwx});

  static const _pauses = [10, 30, 120]; // seconds between questions for a verdict
  static const _silence = Duration(seconds: 30); // then the callback counts as lost
  static const _requestLimit = Duration(seconds: 10);

  final Uri server; // Counterfoil, or your own gateway
  final String user;
  final Future<String> Function() credential; // a user token, or your own session
  final String? weChatAppId;
  final Fluwx? fluwx;

  // Survives uninstalling; readable after the first unlock, on this device only.
  final _storage = const FlutterSecureStorage(
      iOptions: IOSOptions(accessibility: KeychainAccessibility.first_unlock_this_device));
  final bool _isApple = Platform.isIOS || Platform.isMacOS;

  Map<String, dynamic> _orders = {}; // by idempotency key, which exists before the order does
  Map<String, dynamic> _evidence = {}; // by transaction id
  List<String> _usersKnown = [];
  final Set<String> _asked = {}; // what this run has handed in
  final Set<String> _opening = {}; // orders whose sheet is about to open: nobody may close them
  final Map<String, String> _ended = {}; // by idempotency key: what the server said at the end, `paid` or `closed`
  final Map<String, String> _signed = {}; // by transaction id: the signed transaction, as the purchase stream told it
  final Map<String, Future<void>> _submissions = {};
  Future<void> _writing = Future.value();
  StreamSubscription<List<PurchaseDetails>>? _purchases;
  Completer<void>? _sheet; // of the payment that is open now

  /// Launch: one observer from the start, then whatever an earlier run left open.
  Future<void> start() async {
    final text = await _storage.read(key: 'counterfoil');
    if (text != null) {
      // What cannot be read starts no payment: the error is yours.
      final kept = jsonDecode(text) as Map<String, dynamic>;
      _orders = kept['orders'] as Map<String, dynamic>;
      _evidence = kept['evidence'] as Map<String, dynamic>;
      _usersKnown = (kept['usersKnown'] as List).cast<String>();
    }
    WidgetsBinding.instance.addObserver(this);
    if (_isApple) _purchases ??= InAppPurchase.instance.purchaseStream.listen(_hear);
    fluwx?.addSubscriber((response) {
      // Whatever the response says proves nothing: it ends the waiting, and the server is asked.
      if (response is WeChatPaymentResponse && !(_sheet?.isCompleted ?? true)) _sheet!.complete();
    });
    await recover();
  }

  void dispose() {
    WidgetsBinding.instance.removeObserver(this);
    _purchases?.cancel();
  }

  /// Back from WeChat, from the App Store, from anywhere: the callback may have been lost.
  @override
  void didChangeAppLifecycleState(AppLifecycleState state) {
    if (state == AppLifecycleState.resumed) unawaited(_look().then((_) => _askAboutOrders()));
  }

  /// `bought`, `closed` (unpaid), `failedOnce`, `deferred`, `awaitingConfirmation`, `earlierPurchaseOpen` or `noOrder`.
  Future<String> purchase(String productId, {int quantity = 1}) async {
    await recover(); // what is unfinished first: it must not be taken for the new order
    if (_evidence.values.any((one) => one['verdict'] == null && one['ours'] == productId)) return 'earlierPurchaseOpen';
    final key = const Uuid().v4();
    final record = <String, dynamic>{
      'user': user, 'productId': productId, 'quantity': quantity, 'state': 'requested', 'order': null,
    };
    _orders[key] = record;
    await _write(); // before the request: a lost answer must not lose the order
    _opening.add(key);
    final isMade = await _makeOrder(key).whenComplete(() { _opening.remove(key); });
    if (!isMade) return 'noOrder';
    record['state'] = 'paying';
    await _write(); // before the sheet: a charge must never be without its order
    await _pay(record);
    if (_orders.containsKey(key)) {
      await _look();
      await _askAbout(key, wait: 20);
    }
    // A record that is gone is not a record that is paid: the server's word decides.
    if (!_orders.containsKey(key)) return _ended[key] == 'paid' ? 'bought' : 'closed';
    return record['state'] == 'paying' ? 'awaitingConfirmation' : record['state'] as String;
  }

  Future<void> _pay(Map<String, dynamic> record) async {
    final sheet = _sheet = Completer<void>();
    try {
      final order = record['order'] as Map<String, dynamic>;
      final opened = _isApple ? await _openAppStore(order) : await _openWeChat(order);
      if (opened) await sheet.future.timeout(_silence);
    } on TimeoutException {
      // No callback: it is looked for, and asked about.
    } catch (_) {
      record['state'] = 'failedOnce'; // never final: a charge may follow, so the order stays
      await _write();
    }
  }

  Future<bool> _openAppStore(Map<String, dynamic> order) async {
    final apple = order['appStore'] as Map<String, dynamic>;
    final found = await InAppPurchase.instance.queryProductDetails({apple['productId'] as String});
    if (found.productDetails.isEmpty) throw StateError('no such product in the App Store');
    return InAppPurchase.instance.buyConsumable(
      autoConsume: false, // finished on the server's word alone
      purchaseParam: Sk2PurchaseParam(
        productDetails: found.productDetails.first,
        applicationUserName: apple['appAccountToken'] as String,
        quantity: order['quantity'] as int,
      ),
    );
  }

  Future<bool> _openWeChat(Map<String, dynamic> order) async {
    final wallet = order['weChatPay'] as Map<String, dynamic>;
    if (wallet['appId'] != weChatAppId) throw StateError('the order is for another WeChat app: tell an administrator');
    if (!await fluwx!.isWeChatInstalled) throw StateError('WeChat is not installed');
    return fluwx!.pay(
      which: Payment(
        appId: wallet['appId'] as String,
        partnerId: wallet['partnerId'] as String,
        prepayId: wallet['prepayId'] as String,
        packageValue: wallet['packageValue'] as String,
        nonceStr: wallet['nonceStr'] as String,
        timestamp: int.parse('${wallet['timeStamp']}'),
        sign: wallet['sign'] as String,
      ),
    );
  }

  Future<void> _hear(List<PurchaseDetails> told) async {
    for (final one in told) {
      final (id, signed) = (one.purchaseID, one.verificationData.serverVerificationData);
      if (id != null && signed.isNotEmpty) _signed[id] = signed;
      if (one.status == PurchaseStatus.pending) await _mark(one.productID, 'deferred');
      if (one.status == PurchaseStatus.error || one.status == PurchaseStatus.canceled) {
        await _mark(one.productID, 'failedOnce');
        if (one.pendingCompletePurchase) await InAppPurchase.instance.completePurchase(one); // no charge is in it
      }
    }
    await _look(); // what was bought is read from the store itself, with its token and signature
    if (!(_sheet?.isCompleted ?? true)) _sheet!.complete();
  }

  Future<void> _mark(String storeProduct, String state) async {
    final fitting = _orders.values
        .where((one) => one['state'] == 'paying' && one['order']['appStore']?['productId'] == storeProduct)
        .toList();
    if (fitting.length != 1) return;
    fitting.single['state'] = state;
    await _write();
  }

  /// Completes what is open, from vault, store and server. Safe at any time, as often as you like.
  Future<void> recover() async {
    await _adoptOpenOrders();
    for (final key in _orders.keys.toList()) {
      if (_orders[key]['user'] == user && _orders[key]['state'] == 'requested') await _makeOrder(key);
    }
    await _look();
    for (final id in _evidence.keys.toList()) {
      if (!_asked.contains(id)) await _submitOnce(id, isInQueue: false); // the store no longer shows it
    }
    await _askAboutOrders();
  }

  Future<bool> _makeOrder(String key) async {
    final record = _orders[key] as Map<String, dynamic>;
    final body = {
      'productId': record['productId'], 'quantity': record['quantity'], 'store': _isApple ? 'appStore' : 'weChatPay',
      'platform': Platform.operatingSystem,
    };
    for (final pause in [0, 1, 3]) {
      await Future.delayed(Duration(seconds: pause));
      final (status, answer) = await _ask('POST', '/v1/orders', body: body, key: key);
      if (status == 200 || status == 201) {
        record['order'] = answer;
        record['state'] = 'created';
        await _write();
        return true;
      }
      if ([400, 404, 409, 422].contains(status)) {
        _orders.remove(key); // the server refused to make it: there is none
        await _write();
        return false;
      }
    }
    return false; // nobody knows; the next launch asks again under the same key
  }

  /// A new device, or storage that was cleared: the server's list stands in for the vault.
  Future<void> _adoptOpenOrders() async {
    if (_usersKnown.contains(user)) return;
    final (status, answer) = await _ask('GET', '/v1/orders?open=true&limit=100');
    if (status != 200) return;
    final known = _orders.values.map((one) => one['order']?['id']).toSet();
    for (final order in answer['orders'] as List) {
      if (known.contains(order['id'])) continue;
      _orders[order['id'] as String] = {
        'user': user, 'productId': order['productId'], 'quantity': order['quantity'], 'state': 'paying', 'order': order,
      };
    }
    _usersKnown.add(user);
    await _write();
  }

  Future<void> _askAboutOrders() async {
    for (final key in _orders.keys.toList()) await _askAbout(key);
  }

  Future<void> _askAbout(String key, {int wait = 0}) async {
    final record = _orders[key];
    if (record == null || record['user'] != user || record['order'] == null) return;
    if (_opening.contains(key)) return; // its sheet is about to open
    final path = '/v1/orders/${record['order']['id']}';
    final (status, answer) = record['state'] == 'created' // its sheet never opened
        ? await _ask('POST', '$path/close', body: {})
        : await _ask('GET', wait == 0 ? path : '$path?wait=$wait', wait: wait);
    if (status != 200) return;
    if (answer['state'] == 'paid' || (answer['state'] == 'closed' && !await _mayStillBePaid(record))) {
      _ended[key] = answer['state'] as String;
      _orders.remove(key);
      await _write();
    } else if (record['state'] == 'deferred') {
      await _ask('POST', '$path/approval-pending', body: {});
    }
  }

  bool _isAbout(Map record, Map one) {
    if (record['order'] == null || record['state'] == 'created') return false;
    if (one['token'] != null) return one['token'] == record['order']['id'];
    return one['productId'] == record['order']['appStore']?['productId'] && one['quantity'] == record['quantity'];
  }

  Future<bool> _mayStillBePaid(Map record) async => [...await _unfinished(), ..._evidence.values]
      .any((one) => _evidence[one['transactionId']]?['verdict'] != 'refused' && _isAbout(record, one as Map));

  Future<List<Map<String, dynamic>>> _unfinished() async => [
        if (_isApple)
          for (final one in await SK2Transaction.unfinishedTransactions())
            {
              'transactionId': one.id, 'productId': one.productId, 'quantity': one.quantity,
              // The list has no signed form: the stream tells it. Without it the server asks Apple by the number.
              'token': one.appAccountToken?.toLowerCase(), 'evidence': _signed[one.id],
            },
      ];

  Future<void> _look() async {
    for (final one in await _unfinished()) {
      final id = one['transactionId'] as String;
      if (!_evidence.containsKey(id)) {
        final ours = _orders.values.where((record) => _isAbout(record as Map, one)).firstOrNull?['productId'];
        _evidence[id] = {...one, 'ours': ours, 'verdict': null};
        // Before it is sent. If that fails it is sent all the same: money was paid, and the store still holds it.
        await _write().catchError((_) {});
      }
      await _submitOnce(id, isInQueue: true);
    }
  }

  /// One submission of a transaction at a time: whoever comes second waits for the first.
  Future<void> _submitOnce(String id, {required bool isInQueue}) =>
      _submissions[id] ??= _submit(id, isInQueue).whenComplete(() { _submissions.remove(id); });

  Future<void> _submit(String id, bool isInQueue) async {
    final kept = _evidence[id];
    if (kept == null || (_asked.contains(id) && kept['verdict'] != null)) return; // set aside until the next launch
    _asked.add(id);
    final payment = await _verdict(id, kept as Map);
    if (payment == null) return; // nobody knows: everything is kept, the next launch or purchase asks again
    if (payment['finish'] != true) {
      kept['verdict'] = payment['verdict'];
      await _write();
      return;
    }
    if (isInQueue) {
      await SK2Transaction.finish(int.parse(id)); // on the server's word alone
      await _ask('POST', '/v1/payments/app-store/finished', body: {'transactionIds': [id]});
    }
    _evidence.remove(id);
    if (payment['verdict'] == 'fulfilled') {
      for (final key in _orders.keys.toList()) {
        if (_orders[key]['order']?['id'] != payment['orderId']) continue;
        _ended[key] = 'paid';
        _orders.remove(key);
      }
    }
    await _write();
  }

  Future<Map?> _verdict(String id, Map kept) async {
    final fitting = _orders.values.where((record) => _isAbout(record as Map, kept));
    kept['evidence'] ??= _signed[id];
    final body = {
      if (kept['evidence'] != null) 'evidence': kept['evidence'],
      'transactionId': id,
      'orderIds': [for (final record in fitting) record['order']['id']],
    };
    for (final pause in [0, ..._pauses]) {
      await Future.delayed(Duration(seconds: pause));
      final (status, answer) = await _ask('POST', '/v1/payments/app-store', body: body);
      if (status != 200) continue; // a problem is no verdict: nothing is finished
      final payment = (answer['payments'] as List).where((one) => one['transactionId'] == id).firstOrNull as Map?;
      if (payment != null && payment['verdict'] != 'pending') return payment;
    }
    return null;
  }

  Future<(int, dynamic)> _ask(String method, String path, {Object? body, String? key, int wait = 0}) async {
    try {
      final request = http.Request(method, server.resolve(path))
        ..headers['Authorization'] = 'Bearer ${await credential()}';
      if (key != null) request.headers['Idempotency-Key'] = key;
      if (body != null) {
        request.headers['Content-Type'] = 'application/json';
        request.body = jsonEncode(body);
      }
      final limit = _requestLimit + Duration(seconds: wait);
      final answer = await http.Response.fromStream(await request.send().timeout(limit)).timeout(limit);
      return (answer.statusCode, answer.body.isEmpty ? null : jsonDecode(utf8.decode(answer.bodyBytes)));
    } catch (_) {
      return (0, null); // no answer: whether it was done, nobody knows
    }
  }

  Future<void> _write() {
    final text = jsonEncode({'version': 1, 'orders': _orders, 'evidence': _evidence, 'usersKnown': _usersKnown});
    return _writing = _writing.catchError((_) {}).then((_) => _storage.write(key: 'counterfoil', value: text));
  }
}
