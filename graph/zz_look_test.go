package graph_test
import ("testing";"os";"fmt";"slices";"github.com/seed109e2655/resolute/graph";"time")
func TestZZLook(t *testing.T) {
	if os.Getenv("LOOK")=="" {t.Skip()}
	ps:=realPackages(t,"community-all.jsonl.gz")
	t0:=time.Now()
	var dead,unr,z,zf,chq,chz,chn,deadch,pkgdead int
	kinds:=map[string]int{}
	un:=map[string]int{}
	el,zel:=0,0
	for _,p:=range ps {
		u:=p.Updates()
		ds:=u.DeadEnds()
		dead+=len(ds)
		seen:=map[string]bool{}
		for _,d:=range ds { kinds[string(d.Reason)]++; seen[d.Channel]=true; if d.Elsewhere{el++} }
		deadch+=len(seen); if len(seen)>0{pkgdead++}
		for _,x:=range u.Unreachable(){unr++;un[string(x.Standing.Kind)]++}
		for _,x:=range u.ZStreams(){z++;if !x.OK(){zf++; for _,f:=range x.Failing{ chz++; if f.Elsewhere{zel++}}}}
		for _,c:=range p.Channels{chn++; if c.Quarantined()!=nil{chq++}}
	}
	fmt.Println(time.Since(t0),"channels",chn,"quarantined",chq,"dead",dead,kinds,"elsewhere",el,"channels with dead",deadch,"pkgs",pkgdead,"unreachable",unr,un,"z",z,"failing",zf,"releases",chz,"elsewhere",zel)
	old:=realPackages(t,"community-v4.14.jsonl.gz"); nw:=realPackages(t,"community-v4.19.jsonl.gz")
	t0=time.Now()
	ck:=map[string]int{}
	for _,c:=range graph.CompareCatalogs(slices.Values(old),slices.Values(nw)){ k:=string(c.Kind); if c.Breaking{k+="!"}; ck[k]++
	 if ck[k]<=3 {fmt.Println(c)}}
	fmt.Println(time.Since(t0),ck)
	for _,n:=range []string{"hive-operator","opentelemetry-operator","project-quay","etcd","keycloak-operator","gitlab-operator-kubernetes","strimzi-kafka-operator"} {
	for _,p:=range ps { if p.Name==n {
		f,_:=os.Create("/tmp/pic/"+n+".svg"); t0=time.Now(); if err:=graph.WriteSVG(f,p,graph.SVGOptions{});err!=nil{t.Fatal(err)}; f.Close()
		f,_=os.Create("/tmp/pic/"+n+".txt"); graph.WriteText(f,p,graph.TextOptions{}); f.Close()
		f,_=os.Create("/tmp/pic/"+n+".dot"); graph.WriteDOT(f,p,graph.DOTOptions{}); f.Close()
		f,_=os.Create("/tmp/pic/"+n+".mmd"); graph.WriteMermaid(f,p,graph.MermaidOptions{}); f.Close()
		f,_=os.Create("/tmp/pic/"+n+"-all.dot"); graph.WriteDOT(f,p,graph.DOTOptions{Show:graph.Show{AllEdges:true}}); f.Close()
		f,_=os.Create("/tmp/pic/"+n+"-all.svg"); graph.WriteSVG(f,p,graph.SVGOptions{Show:graph.Show{AllEdges:true}}); f.Close()
		fmt.Println(n,time.Since(t0),len(p.Bundles),len(p.Channels))
	}}}
}
