package whatif_test

import (
	"fmt"

	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

func Example() {
	req := resolver.Request{Subscriptions: []resolver.Subscription{
		{Name: "etcd", Package: "etcd", Channels: []string{"alpha"}},
		{Name: "kafka", Package: "kafka"},
	}}
	changes := []resolver.Change{whatif.FollowChannel("etcd", "stable"), whatif.DropSubscription("kafka")}
	changed, err := req.Apply(changes...)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range changes {
		fmt.Println(c)
	}
	fmt.Println(len(changed.Subscriptions), changed.Subscriptions[0].Channels)
	// Output:
	// let subscription etcd follow channel stable
	// drop subscription kafka
	// 1 [stable]
}
