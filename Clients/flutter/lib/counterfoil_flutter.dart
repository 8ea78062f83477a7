/// Buys through your own Counterfoil server: the App Store on iOS, WeChat Pay on Android.
///
/// Begin with [Counterfoil.start].
library;

export 'src/counterfoil.dart';
export 'src/earlier_record.dart';
export 'src/events.dart';
export 'src/outcomes.dart';
export 'src/rights.dart';
