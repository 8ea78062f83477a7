/// Buys through your own Counterfoil server: WeChat Pay on Android.
///
/// Begin with [Counterfoil.start].
library;

export 'src/counterfoil.dart';
export 'src/earlier_record.dart';
export 'src/events.dart';
export 'src/outcomes.dart';
