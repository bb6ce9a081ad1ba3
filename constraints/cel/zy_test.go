package cel
import ("testing";"fmt";"time";"strings")
func TestZY(t *testing.T){
 c:=NewCompiler(Options{})
 for _,n:=range []int{20,40,60,80,95,200}{
 for _,r:=range []string{
  `[[1]]`+strings.Repeat(`.map(x,[x,x])`,n)+` == []`,
  `[[1]]`+strings.Repeat(`.map(x,{"a":x})`,n)+` == []`,
  `[1]`+strings.Repeat(`.map(x,{x:x})`,n)+` == []`,
  `[1]`+strings.Repeat(`.map(x,[[x],[x]])`,n)+` == []`,
  strings.Repeat(`[`,n)+strings.Repeat(`]`,n)+` == []`,
  strings.Repeat(`{1:`,n)+"1"+strings.Repeat(`}`,n)+` == {}`,
  strings.Repeat(`(1==1?`,n)+"1"+strings.Repeat(`:2)`,n)+` == 1`,
  strings.Repeat(`["`,n)+strings.Repeat(`"]`,n)+` == []`,
  "\""+strings.Repeat(`a`,n*300)+"\" == \"\"",
  "["+strings.Repeat(`"a",`,n*30)+"\"b\"] == []",
  "["+strings.Repeat(`{"a":[1]},`,n*10)+"{}] == []",
  strings.Repeat("//",n*300),strings.Repeat("\n",n*300),
  strings.Repeat("x.y(",n*70), strings.Repeat("a b ",n*70),strings.Repeat("@#$%",n*70), strings.Repeat("'",n*300),
  strings.Repeat("[1,2].map(y,",n)+"1"+strings.Repeat(")",n)+" == []",
  strings.Repeat("[1,2].map(y,y,",n)+"1"+strings.Repeat(")",n)+" == []",
  strings.Repeat("properties.exists(y,y.type=='a')||",n*8)+"true",
 }{
  t0:=time.Now(); _,err:=c.Compile(r); d:=time.Since(t0); if d>30*time.Millisecond { if len(r)>40{r=r[:40]}; fmt.Println(n,d,r,err!=nil)}
 }}
}
