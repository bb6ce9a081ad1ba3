package graph_test
import ("testing";"os";"fmt";"slices";"github.com/seed109e2655/resolute/graph")
func TestZZ3(t *testing.T) {
	if os.Getenv("LOOK")=="" {t.Skip()}
	old:=realPackages(t,"community-v4.14.jsonl.gz"); nw:=realPackages(t,"community-v4.19.jsonl.gz")
	n:=0
	for _,c:=range graph.CompareCatalogs(slices.Values(old),slices.Values(nw)){
		if c.Package!="project-quay" {continue}
		if n<60 || n%100==0 {fmt.Println(c)}
		n++
	}
	for _,p:=range nw { for _,z:=range p.Updates().ZStreams(){ if !z.OK(){fmt.Println(z)}}}
	for _,p:=range nw { for i,z:=range p.Updates().DeadEnds(){ if i<3 {fmt.Println(z)}}}
}
