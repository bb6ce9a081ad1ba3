package graph_test
import ("testing";"os";"fmt";"github.com/seed109e2655/resolute/graph";"github.com/seed109e2655/resolute/properties";"github.com/blang/semver/v4")
func TestZZ4(t *testing.T) {
	if os.Getenv("LOOK")=="" {t.Skip()}
	d:=graph.PackageDecl{Name:"etcd",Definitions:[]graph.DefinitionDecl{{DefaultChannel:"stable"}}}
	add:=func(v string,more ...*properties.Property){ d.Bundles=append(d.Bundles,bundle(t,"etcd.v"+v,v,more...))}
	for i:=0;i<60;i++{add(fmt.Sprintf("1.%d.0",i))}
	add("1.30.1"); add("1.30.2",property(t,"olm.deprecated","{}"));add("1.31.1"); add("0.9.0"); add("2.0.0"); add("2.0.1")
	d.Bundles=append(d.Bundles,graph.BundleDecl{Name:"etcd.bad"})
	ch:=graph.ChannelDecl{Name:"stable"}
	for i:=0;i<60;i++{
		e:=graph.EntryDecl{Name:fmt.Sprintf("etcd.v1.%d.0",i)}
		if i>0{e.Replaces=fmt.Sprintf("etcd.v1.%d.0",i-1)}
		if i==0{e.Replaces="etcd.v0.8.0"}
		if i==32{e.Skips=[]string{"etcd.v1.30.1","etcd.v1.30.2","etcd.v1.31.1","etcd.v1.31.0"}}
		if i==59{e.SkipRange=">=1.50.0 <1.59.0"}
		if i==45{e.Replaces="etcd.virtual"}
		if i==20{e.Replaces="etcd.bad"}
		if i==12{e.SkipRange="<1.12.0"}
		if i==44{e.Skips=[]string{"etcd.v1.38.0","etcd.v1.39.0"}}
		ch.Entries=append(ch.Entries,e)
	}
	ch.Entries=append(ch.Entries,graph.EntryDecl{Name:"etcd.virtual",Replaces:"etcd.v1.44.0"},graph.EntryDecl{Name:"etcd.bad",Replaces:"etcd.v1.19.0"},
	graph.EntryDecl{Name:"etcd.v1.30.1",Replaces:"etcd.v1.30.0",Skips:[]string{}},graph.EntryDecl{Name:"etcd.v1.30.2",Replaces:"etcd.v1.30.0"},graph.EntryDecl{Name:"etcd.v1.31.1",Replaces:"etcd.v1.31.0"})
	broken:=graph.ChannelDecl{Name:"broken",Entries:[]graph.EntryDecl{{Name:"etcd.v1.1.0"},{Name:"etcd.v1.2.0",Replaces:"etcd.v1.1.0"},{Name:"etcd.v1.3.0",Replaces:"etcd.v1.1.0"}}}
	str:=graph.ChannelDecl{Name:"stray",Entries:[]graph.EntryDecl{{Name:"etcd.v2.0.0"},{Name:"etcd.v0.9.0"},{Name:"etcd.v2.0.1",Skips:[]string{"etcd.v2.0.0"}},{Name:"etcd.v1.0.0",Replaces:"etcd.v0.9.0"},{Name:"etcd.v1.5.0",Skips:[]string{"etcd.v1.0.0"},Replaces:"etcd.v1.4.0"},{Name:"etcd.v1.4.0",Replaces:"etcd.v1.5.0"}}}
	str2:=graph.ChannelDecl{Name:"stray2",Entries:[]graph.EntryDecl{{Name:"etcd.v2.0.0"},{Name:"etcd.v2.0.1",Skips:[]string{"etcd.v2.0.0","etcd.v1.0.0"}},{Name:"etcd.v1.0.0",Replaces:"etcd.v0.9.0"},{Name:"etcd.v0.9.0"}}}
	d.Channels=[]graph.ChannelDecl{ch,broken,str,str2}
	d.Deprecations=[]graph.DeprecationDecl{{Schema:graph.SchemaChannel,Name:"stray",Message:"use stable"},{Schema:graph.SchemaBundle,Name:"etcd.v1.10.0",Message:"CVE"},{Schema:graph.SchemaPackage,Message:"moved\x1b[31m"}}
	p:=graph.Build(d,graph.Options{})
	show:=graph.Show{Installed:[]graph.Installed{{Name:"etcd.v1.55.0"},{Name:"etcd.v1.58.3",Version:semver.MustParse("1.58.3")}}}
	graph.WriteText(os.Stdout,p,graph.TextOptions{Show:show})
	f,_:=os.Create("/tmp/pic/syn.svg"); graph.WriteSVG(f,p,graph.SVGOptions{Show:show}); f.Close()
	f,_=os.Create("/tmp/pic/syn.dot"); graph.WriteDOT(f,p,graph.DOTOptions{Show:show}); f.Close()
	f,_=os.Create("/tmp/pic/syn.mmd"); graph.WriteMermaid(f,p,graph.MermaidOptions{Show:show}); f.Close()
	for _,x:=range p.Updates().DeadEnds(){fmt.Println(x)}
	for _,x:=range p.Updates().Unreachable(){fmt.Println(x)}
	for _,x:=range p.Updates().ZStreams(){if !x.OK(){fmt.Println(x)}}
	pp,err:=p.Updates().ShortestPath("etcd.v1.0.0","etcd.v1.35.0"); fmt.Println(pp,err)
}
