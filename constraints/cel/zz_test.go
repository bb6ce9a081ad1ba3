package cel
import ("testing";"fmt";"time";"context";"strings";"github.com/seed109e2655/resolute/properties")
func TestZZ(t *testing.T){
 c:=NewCompiler(Options{})
 set,err:=properties.Parse([]byte(`[{"type":"olm.package","value":{"packageName":"blue","version":"1.2.3"}},{"type":"certified","value":"yes"},{"type":"n","value":{"n":5,"l":[1,2,"x"],"m":{"a":null}}}]`)); if err!=nil{t.Fatal(err)}
 v:=Convert(set)
 run:=func(r string){ t0:=time.Now(); p,err:=c.Compile(r); d:=time.Since(t0); if len(r)>100{r=r[:100]}; if err!=nil{ fmt.Printf("%s\n   COMPILE ERR %v %v\n",r,err,d);return}
  ctx,cancel:=context.WithTimeout(context.Background(),300*time.Millisecond); defer cancel()
  t0=time.Now(); m,cost,err:=p.Eval(ctx,v,Value{}); fmt.Printf("%s\n   %v cost=%d err=%v compile=%v eval=%v needs=%+v\n",r,m,cost,err,d,time.Since(t0),p.Needs())
  if m && !p.Needs().Maybe(set){t.Error("UNSOUND")}
 }
 for _,r:=range []string{
 `properties.exists(p, p.type == "certified")`,
 `properties.exists(p, p.type == "olm.package" && p.value.packageName == "blue" && semver_compare(p.value.version, "1.10.0") < 0)`,
 `properties.exists(p, p.type == "n" && p.value.n == 5)`,
 `properties.exists(p, p.type == "n" && p.value.n > 4)`,
 `properties.exists(p, p.type == "n" && p.value.n in [5,6])`,
 `properties.exists(p, p.type == "n" && 2 in p.value.l && p.value.m.a == null && has(p.value.m))`,
 `properties.filter(p, p.type == "n").size() > 0`, `properties.filter(p, p.type == "n").size() == 0`, `!(properties.filter(p, p.type == "zz").size() == 0)`,
 `"certified" in properties.map(p, p.type)`,
 `properties[0].type == "olm.package"`,
 `properties[0].value`, `properties`, `true`, `false`, `1`, ``, `properties.exists(`, `foo`, `properties.exists(p, p.foo == 1)`,
 `cluster.exists(c, c.type == "olm.kubeversion")`,
 `properties.all(p, p.type == "x")`, `!properties.all(p, p.type == "x")`, `!properties.all(p, p.type != "x")`,
 `properties.exists_one(p, p.type == "certified")`,
 `properties.exists(p, p.type == "a" && p.type == "b")`,
 `properties.exists(p, p.type in ["certified","b"])`,
 `properties.exists(p, p.type.matches("^cert")) `, `properties.exists(p, p.type.matches("^(cert")) `, `"a".matches("(a{100}){100}")`, `"aaa".matches(properties[0].type)`,
 `dyn(properties[0].value) == dyn(properties[0].value)`, `properties == properties`, `properties[0] == properties[0]`, `properties[0].size() == 2`,`properties[0].all(k, k in ["type","value"])`, `"type" in properties[0]`, `properties[0].nokey == 1`, `semver_compare("x","1.0.0") == 0`, `semver_compare(properties[0].value.version,"1.0.0") == 1`, `semver_compare(properties[0].value,"1.0.0") == 1`,
 `1 < 2.0`, `properties[0]["type"] == "olm.package"`,
 `[1]+[2]==[1,2]`, `"a"+"b"=="ab"`, `1+1==2`, `b"a"+b"b"==b"ab"`, `timestamp("2020-01-01T00:00:00Z") + duration("1h") > timestamp("2020-01-01T00:00:00Z")`,
 `[1,2,3].map(x,x+1) == [2,3,4]`, `properties.map(p,p.type)+["x"] != []`,
 `[[1]]`+strings.Repeat(`.map(x,[x,x])`,60)+` == [[1]]`+strings.Repeat(`.map(x,[x,x])`,60),
 `[[1]]`+strings.Repeat(`.map(x,[x,x])`,60)+` in [[1]]`+strings.Repeat(`.map(x,[x,x])`,60),
 `["a"]`+strings.Repeat(`.map(x,x+x)`,60)+` == ["a"]`, `[[1]]`+strings.Repeat(`.map(x,x+x)`,60)+` == [[2]]`,
 strings.Repeat("(",3000)+"true"+strings.Repeat(")",3000),
 strings.Repeat("(",90)+"true"+strings.Repeat(")",90),
 strings.Repeat("!",6000)+"true",
 "true"+strings.Repeat("&&true",4000), "true"+strings.Repeat("&&true",10000), "true"+strings.Repeat("||true",800),
 strings.Repeat("[",6000), strings.Repeat("{",60000),strings.Repeat("a.",30000),strings.Repeat("a?",30000),strings.Repeat("((((1+",9000),strings.Repeat("1+",30000)+"1 == 1",
 `properties.exists(p,`+strings.Repeat(`properties.exists(q,`,30)+`false`+strings.Repeat(")",31),
 strings.Repeat(`[1,2,3,4,5,6,7,8,9].exists(x,`,12)+`false`+strings.Repeat(")",12),
 strings.Repeat(`[1,2,3,4,5,6,7,8,9].exists(x,`,30)+`false`+strings.Repeat(")",30),
 } { run(r) }
 p,_:=c.Compile(`properties.exists(p, p.type == "olm.package" && p.value.packageName == "blue" && semver_compare(p.value.version, "1.10.0") < 0)`)
 t0:=time.Now(); for range 10000 { p.Eval(context.Background(),v,Value{})}; fmt.Println("per eval",time.Since(t0)/10000)
}
