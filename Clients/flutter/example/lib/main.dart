// A shop page: the App Store on iOS, WeChat Pay on Android beside fluwx, which the app uses for signing in. Needs a
// Flutter SDK; not run in our tests.
import 'dart:async';

import 'package:counterfoil_flutter/counterfoil_flutter.dart';
import 'package:flutter/material.dart';
import 'package:flutter_secure_storage/flutter_secure_storage.dart';
import 'package:fluwx/fluwx.dart';

/// Your own sign-in: a token that your backend signs.
Future<String?> _token(String user, {required bool wasRefused}) async => const String.fromEnvironment('TOKEN');

Future<void> main() async {
  WidgetsFlutterBinding.ensureInitialized();
  final shop = await Counterfoil.start(
    server: Uri.parse(const String.fromEnvironment('SERVER', defaultValue: 'http://10.0.2.2:8080')),
    app: 'demo',
    weChatAppId: const String.fromEnvironment('WECHAT', defaultValue: 'wx0000000000000001'),
    userToken: _token,
  );
  await shop.setUser('alice');
  await _takeOver(shop);
  // fluwx owns WXPayEntryActivity in this app: what it hears is passed on, and its other subscribers hear it, too.
  Fluwx().addSubscriber((response) {
    if (response is WeChatPaymentResponse) {
      unawaited(shop.weChatResponded(response.errCode ?? -1, extData: response.extData));
    }
  });
  runApp(MaterialApp(home: ShopPage(shop)));
}

/// Once after the update: what the earlier code stored as `orderId¥status` for each product.
Future<void> _takeOver(Counterfoil shop) async {
  const storage = FlutterSecureStorage();
  final stored = await storage.readAll();
  final records = <String, EarlierRecord>{};
  for (final MapEntry(key: product, value: text) in stored.entries) {
    final record = text.contains('¥') ? EarlierRecord.parse(text, user: 'alice', productId: product) : null;
    if (record != null) records[product] = record;
  }
  if (records.isEmpty) return;
  final unusable = await shop.takeOver(records.values.toList());
  // Only now: before, it was the only record of a user's money.
  for (final MapEntry(key: product, value: record) in records.entries) {
    if (!unusable.contains(record.reference)) await storage.delete(key: product);
  }
}

class ShopPage extends StatefulWidget {
  const ShopPage(this.shop, {super.key});

  final Counterfoil shop;

  @override
  State<ShopPage> createState() => _ShopPageState();
}

class _ShopPageState extends State<ShopPage> {
  late final StreamSubscription<PurchaseEvent> _events;
  String? _busy;
  String _message = '';
  bool _hasAgreed = false;
  List<Product> _products = const [];

  @override
  void initState() {
    super.initState();
    unawaited(_load());
    _events = widget.shop.events.listen((event) {
      setState(() {
        // WeChat opens: the loading box goes.
        if (event is OrderOpened && event.order.phase == 'paying') _busy = null;
        if (event is OrderGranted || event is SlowCallback || event is NotConfirmed) _message = event.message;
      });
    });
  }

  @override
  void dispose() {
    unawaited(_events.cancel());
    super.dispose();
  }

  Future<void> _load() async {
    try {
      final list = await widget.shop.products();
      if (mounted) setState(() => _products = list.products);
    } on PurchasingError catch (error) {
      if (mounted) setState(() => _message = error.message);
    }
  }

  /// Only from its own button: the App Store may ask for the password.
  Future<void> _restore() async {
    String? message;
    try {
      message = (await widget.shop.restorePurchases()).message;
    } on PurchasingError catch (error) {
      message = error.message;
    }
    if (mounted && message != null) setState(() => _message = message!);
  }

  Future<void> _agree() async {
    await widget.shop.consentGiven();
    setState(() => _hasAgreed = true);
  }

  Future<void> _buy(String product) async {
    setState(() => _busy = product);
    String message;
    try {
      message = (await widget.shop.purchase(product)).message;
    } on PurchasingError catch (error) {
      message = error.message;
    }
    if (!mounted) return;
    setState(() {
      _busy = null;
      _message = message;
    });
  }

  @override
  Widget build(BuildContext context) => Scaffold(
        appBar: AppBar(title: const Text('金币')),
        body: Column(
          children: [
            if (!_hasAgreed) FilledButton(onPressed: _agree, child: const Text('同意隐私政策')),
            for (final Product(productId: id, :name, :priceWords) in _products)
              ListTile(
                title: Text(name),
                subtitle: Text(priceWords),
                trailing: _busy == id ? const CircularProgressIndicator() : const Icon(Icons.payment),
                onTap: _hasAgreed && _busy == null ? () => _buy(id) : null,
              ),
            TextButton(onPressed: _restore, child: const Text('恢复购买')),
            Text(_message),
          ],
        ),
      );
}
