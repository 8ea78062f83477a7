// One import for an app: purchases, StoreKit, the Keychain, the network, a page's model and views.
#if canImport(StoreKit)
  @_exported public import Counterfoil
  @_exported public import CounterfoilStoreKit
  @_exported public import CounterfoilSwiftUI
  @_exported public import CounterfoilURLSession
#endif
