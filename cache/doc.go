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
//	snapshot, err := catalogs.Snapshot(ctx) // of all catalogs at one time
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
// A [Catalog] numbers its bundles in the order in which they are preferred as
// dependencies, as far as that depends on the catalog alone (section 4 of the
// semantics, rules 5 to 7), and keeps an index by name, package, provided API,
// label and property type. Every index lists numbers in ascending order, so
// that the first of a list is the best.
//
// Package cache/fbc reads file-based catalogs into a Catalog.
//
// # Keeping them fresh
//
// A [Cache] reads catalogs from any number of sources, in the background: when
// a source is added, on a schedule with jitter, on a signal, and on demand;
// after a failure with exponential backoff. [Cache.Snapshot] is one consistent view
// of all of them for one resolution, and costs no more than reading a pointer.
// It waits for a source only until that was read, or failed, for the first time.
//
// A source that fails keeps serving its last good content.
// [SourceConfig.MaxStale] says for how long readers do not learn of it; after that
// its catalog is Unavailable in snapshots, and the policy of each resolution
// says what that means (section 8 of the semantics). No other source is
// concerned. One that panics has failed; one that ignores its context is given
// up after [Config.Grace], and holds up neither readers nor other sources. One
// that is removed leaves nothing behind.
//
// What readers see of a source follows from two things that its loads leave: the last good
// content, and the failure that the last load ended with, if it did:
//
//	              no failure                     MaxStale not over   MaxStale over
//	no content    ErrNotLoaded: is waited for    Unavailable         Unavailable
//	content       is served                      is served           is served, but Unavailable
//
//	                     Load, Warm                    Load fails
//	ErrNotLoaded ───────────────────────► served ◄────────────────► served, failing
//	      │                                  ▲            Load           │
//	      │ Load fails                       │ Load                      │ MaxStale is over
//	      └──────────────► Unavailable ──────┴───────── Unavailable ◄────┘
//
// What a source is, is said by [Source] and its optional extensions [Warmer]
// and [Notifier]. [Memory] is a source in memory.
//
// [Cache.Health] says how each source fares, as data, JSON or for log/slog;
// [Config] takes a logger and [Metrics]; [Cache.Changes] wakes whoever
// resolves again when something changed.
package cache
