package properties
import ("testing";"os";"bufio";"compress/gzip";"encoding/json";"time";"fmt")
func TestZZ(t *testing.T){
 for _,n:=range []string{"community-all","community-v4.14","community-v4.19"}{
 f,_:=os.Open("/work/shared/data/"+n+".jsonl.gz"); r,_:=gzip.NewReader(f); s:=bufio.NewScanner(r); s.Buffer(nil,1<<24)
 var all []struct{T string;V json.RawMessage}; bad:=0
 for s.Scan(){ var m struct{Schema,Package,Name string; Properties []struct{Type string;Value json.RawMessage}}
  json.Unmarshal(s.Bytes(),&m); if m.Schema!="olm.bundle"{continue}
  for _,p:=range m.Properties{ all=append(all,struct{T string;V json.RawMessage}{p.Type,p.Value}); if _,err:=New(p.Type,p.Value);err!=nil{bad++; fmt.Println(m.Name,err)}} }
 t0:=time.Now(); in:=NewInterner(); for _,p:=range all{in.Property(p.T,p.V)}; d1:=time.Since(t0)
 t0=time.Now(); for _,p:=range all{New(p.T,p.V)}; d2:=time.Since(t0)
 fmt.Println(n,len(all),"bad",bad,d1,d2)
 }}
