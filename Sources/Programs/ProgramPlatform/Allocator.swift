#if canImport(CMimalloc)
  import CMimalloc
#endif

/// What serves `malloc` in this process. On Linux the programs are linked with mimalloc, which takes its place.
enum Allocator {
  /// Its name and version; nil for the system's own.
  static var name: String? {
    #if canImport(CMimalloc)
      guard mimalloc_serves_malloc() else { return nil }
      let version = mi_version()
      return "mimalloc \(version / 100).\(version / 10 % 10).\(version % 10)"
    #else
      return nil
    #endif
  }
}
