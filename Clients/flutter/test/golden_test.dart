// Needs a Flutter SDK: `flutter test`. Not run in this repository's own tests, which parse it.
import 'dart:convert';
import 'dart:io';

import 'package:counterfoil_flutter/counterfoil_flutter.dart';
import 'package:flutter/services.dart';
import 'package:flutter_test/flutter_test.dart';

const _codec = StandardMethodCodec();
const _calls = MethodChannel('counterfoil_flutter');

List<int> _bytes(String hex) =>
    [for (var index = 0; index < hex.length; index += 2) int.parse(hex.substring(index, index + 2), radix: 16)];

void main() {
  TestWidgetsFlutterBinding.ensureInitialized();
  final golden = jsonDecode(File('test/golden.json').readAsStringSync()) as Map<String, dynamic>;
  final messages = {for (final one in golden['messages'] as List<dynamic>) one['name'] as String: one};
  ByteData recorded(String name) => ByteData.sublistView(Uint8List.fromList(_bytes(messages[name]['bytes'] as String)));
  final messenger = TestDefaultBinaryMessengerBinding.instance.defaultBinaryMessenger;
  late List<MethodCall> sent;
  late String reply;

  setUp(() {
    sent = [];
    reply = 'reply of nothing';
    messenger.setMockMessageHandler('counterfoil_flutter', (message) async {
      sent.add(_codec.decodeMethodCall(message));
      return sent.length == 1 ? recorded('reply of nothing') : recorded(reply);
    });
  });

  Future<Counterfoil> started() => Counterfoil.start(
        server: Uri.parse('https://pay.example.com'),
        app: 'shop',
        weChatAppId: 'wx0000000000000001',
        userToken: (user, {required wasRefused}) async => 'token-of-$user',
      );

  void expectSent(String name) =>
      expect(_codec.encodeMethodCall(sent.last).buffer.asUint8List(), recorded(name).buffer.asUint8List());

  test('each call is sent in the recorded bytes', () async {
    final shop = await started();
    expectSent('configure');
    await shop.setUser('alice');
    expectSent('setUser');
    reply = 'reply of purchase: fulfilled';
    expect(await shop.purchase('coins.100'), isA<Fulfilled>());
    expectSent('purchase');
    reply = 'reply of recover';
    await shop.recover();
    expectSent('recover');
    reply = 'reply of takeOver: not that one';
    final unusable = await shop.takeOver([
      EarlierRecord.parse('20240117A7¥pending', user: 'alice', productId: 'com.example.demo.coins100')!,
    ]);
    expect(unusable, ['a/b']);
    expectSent('takeOver');
    reply = 'reply of products';
    final list = await shop.products();
    expect(list.products.map((product) => product.price), ['¥6.00', '¥18.05']);
    expectSent('products');
    reply = 'reply of balances: frozen';
    expect((await shop.balances()).single.amount, -5000000000);
    expectSent('balances');
    reply = 'reply of entitlements';
    final rights = await shop.entitlements();
    expect([for (final right in rights) right.givesAccess], [true, true, false, false]);
    expectSent('entitlements');
    reply = 'reply of restorePurchases: cancelled';
    expect((await shop.restorePurchases()).message, isNull);
    expectSent('restorePurchases');
    for (final request in RefundRequest.values) {
      reply = 'reply of requestRefund: ${request.name}';
      expect(await shop.requestRefund('01a215b9-070a-7935-97a2-000000000001'), request);
      expectSent('requestRefund');
    }
    reply = 'reply of purchase: fulfilled';
    await shop.purchase('vip', promotionalOffer: 'loyal');
    expectSent('purchase: with an offer');
    await shop.purchase('vip', winBackOffer: 'back');
    expectSent('purchase: with a win-back offer');
    reply = 'reply of nothing';
    await shop.redeemOfferCode();
    expectSent('redeemOfferCode');
    await shop.manageSubscriptions();
    expectSent('manageSubscriptions');
    await shop.weChatResponded(-2);
    expectSent('weChatResponded: cancelled');
  });

  test('each recorded reply is read, and none without the word fulfilled is bought', () async {
    final shop = await started();
    for (final (name, type) in [
      ('cancelled', isA<Cancelled>()),
      ('awaitingConfirmation', isA<AwaitingConfirmation>()),
      ('notGranted', isA<NotGranted>()),
      ('pendingApproval', isA<PendingApproval>()),
      ('recovered', isA<Fulfilled>()),
    ]) {
      reply = 'reply of purchase: $name';
      expect(await shop.purchase('coins.100'), type);
    }
    reply = 'error of purchase: WeChat said -1';
    await expectLater(
      shop.purchase('coins.100'),
      throwsA(isA<PurchasingError>().having((error) => error.weChatCode, 'weChatCode', -1)),
    );
    reply = 'reply of openOrders';
    expect((await shop.openOrders()).single.phase, 'paying');
  });

  test('the token is asked of the app', () async {
    await started();
    final answer = await messenger.handlePlatformMessage(_calls.name, recorded('userToken'), null);
    expect(_codec.decodeEnvelope(answer!), 'token-of-alice');
  });
}
