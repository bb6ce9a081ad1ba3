// Package cache holds catalogs as immutable, indexed values, and keeps them
// fresh.
//
//	catalogs, err := cache.New(cache.Config{Sources: []cache.SourceConfig{
//		{Key: cache.Key{Namespace: "olm", Name: "community"}, Source: source},
//		{Key: cache.Key{Namespace: "olm", Name: "certified"}, Source: cache.NewMemory(certified), Priority: 10},
//	}})
//	if err != nil {
//		log.Fatal(err)
//	}
//	defer catalogs.Close()
//	snapshot, err := catalogs.Snapshot(ctx) // all catalogs at one moment
//	if err != nil {
//		log.Fatal(err)
//	}
//	for _, c := range snapshot.Catalogs() {
//		fmt.Println(c.Key, c.Priority, c.Content.Len(), "bundles")
//	}
//	// Output:
//	// olm/certified 10 1 bundles
//	// olm/community 0 2 bundles
//
// # Catalogs
//
// A [Catalog] numbers its bundles in order of preference, by the rules that depend on the
// catalog alone (section 4 of the semantics, rules 5 to 7), and indexes them by name, package,
// provided API, label and property type. Every index lists numbers in ascending order, so the
// first of a list is the best.
//
// Package cache/fbc reads file-based catalogs into a Catalog.
//
// # Keeping catalogs up to date
//
// A [Cache] reads catalogs from any number of sources in the background: when a source is
// added, on a schedule with jitter, on a signal, and on demand; after a failure with
// exponential backoff. [Cache.Snapshot] is one consistent view of all of them for one
// resolution, at the cost of one atomic load. It waits only for sources whose first load has
// not ended.
//
// A source that fails keeps serving its last good content. For [SourceConfig.MaxStale] its
// catalog stays available; after that it is Unavailable in snapshots, and the policy of each
// resolution decides the consequence (section 8 of the semantics). Other sources are not
// affected. A load that panics counts as failed; a load that ignores its context is abandoned
// after [Config.Grace], and blocks neither readers nor other sources. Removing a source
// releases its content and its goroutine.
//
// The state of a source follows from the last good content, and the failure of the last load,
// if it failed:
//
//	              no failure                     MaxStale not over   MaxStale over
//	no content    ErrNotLoaded: readers wait    Unavailable         Unavailable
//	content       served                         served              served, but Unavailable
//
//	                     Load, Warm                    Load fails
//	ErrNotLoaded ───────────────────────► served ◄────────────────► served, failing
//	      │                                  ▲            Load           │
//	      │ Load fails                       │ Load                      │ MaxStale is over
//	      └──────────────► Unavailable ──────┴───────── Unavailable ◄────┘
//
// [Source] and its optional extensions [Warmer] and [Notifier] are the interfaces of sources.
// [Memory] is a source in memory.
//
// [Cache.Health] returns the state of each source as data, JSON or for log/slog; [Config] takes
// a logger and [Metrics]; [Cache.Changes] notifies of changes.
package cache
