package graph_test
import ("testing";"os";"fmt";"slices";"maps";"github.com/seed109e2655/resolute/graph")
func TestZZ2(t *testing.T) {
	if os.Getenv("LOOK")=="" {t.Skip()}
	old:=realPackages(t,"community-v4.14.jsonl.gz"); nw:=realPackages(t,"community-v4.19.jsonl.gz")
	by:=map[string]*graph.Package{}; for _,p:=range old{by[p.Name]=p}
	cnt:=map[string]int{}; lis:=map[bool]int{}
	ns:=map[string]int{}
	shown:=0
	for _,c:=range graph.CompareCatalogs(slices.Values(old),slices.Values(nw)){
		if c.Kind==graph.ChangeEdgeLost { cnt[c.Package]++; l:=by[c.Package].Channel(c.Channel).Entry(c.Bundle)!=nil; lis[l]++; if l&&shown<10{shown++;fmt.Println(c,c.Now)}}
		if c.Kind==graph.ChangeNoSuccessor{ns[fmt.Sprint(c.Package,c.Breaking)]++}
	}
	fmt.Println(lis); for _,k:=range slices.Sorted(maps.Keys(cnt)){fmt.Println(k,cnt[k])}
	fmt.Println(ns)
}
