package cel
import ("testing";"fmt";"time";"strings")
func TestZY(t *testing.T){
 c:=NewCompiler(Options{})
 for _,n:=range []int{4,8,16,24,30,31}{
 for _,r:=range []string{
  `[[1]]`+strings.Repeat(`.map(x,[x,x])`,n)+` == []`,
  `[[1]]`+strings.Repeat(`.map(x,{"a":x})`,n)+` == []`,
  `[1]`+strings.Repeat(`.map(x,{x:x})`,min(n,7))+ strings.Repeat(`.map(x,[[x],[x]])`,max(n-7,0))+` == []`,
  `[1]`+strings.Repeat(`.map(x,{x:x})`,min(n,7))+ strings.Repeat(`.map(x,x)`,max(n-7,0))+` == []`,
  `[1]`+strings.Repeat(`.map(x,[[x],[x]])`,n)+` == []`,
  `[1]`+strings.Repeat(`.map(x,[[x],[x],[x],[x],[x],[x],[x],[x],[x],[x]])`,n)+` == []`,
  strings.Repeat("[1,2].map(y,",n)+"1"+strings.Repeat(")",n)+" == []",
  strings.Repeat("[1,2].map(y,y==y,",n)+"1"+strings.Repeat(")",n)+" == []",
  strings.Repeat("[[[1]]].exists(y,",n)+"true"+strings.Repeat(")",n)+"",
  strings.Repeat("[{'a':1}].exists(y,",n)+"true"+strings.Repeat(")",n)+"",
  strings.Repeat("properties.exists(y,",n)+"true"+strings.Repeat(")",n)+"",
  strings.Repeat("[1] == [1] || ",n*20)+"true",
  strings.Repeat("[] == [] || ",n*20)+"true",
  strings.Repeat("{} == {} || ",n*20)+"true",
  strings.Repeat("1 in [] || ",n*20)+"true",
  strings.Repeat("([]+[]==[]) || ",n*20)+"true",
  strings.Repeat("dyn(1)==1 || ",n*20)+"true",
 }{
  for _,k:=range []int{1,2,3,4,5,10,20,40,80,160}{
  q:=r
  if k>1 { parts:=make([]string,k); for i:=range parts{parts[i]=r}; q=strings.Join(parts," || ") }
  t0:=time.Now(); _,err:=c.Compile(q); d:=time.Since(t0); if d>70*time.Millisecond { e:=""; if err!=nil{e=err.Error(); if len(e)>60{e=e[:60]}}; fmt.Println(n,k,d,r[:min(len(r),40)],e)}
 }}}
}
