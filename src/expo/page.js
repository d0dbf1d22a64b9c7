/* page.js - what makes the front page follow the counters.
 *
 * It keeps the last 60 values of every gauge that the stream brings and draws them beside the
 * value. Once a second it fetches the page again, so that numbers are worded in one place (page.c).
 * Without it the page is a snapshot. It says "live" of numbers that it has just shown, and takes
 * the word back when the stream brings none for three intervals, or says that every socket has
 * stalled.
 *
 * Indented lines go on with the line before: page_text.awk joins them, and leaves out this comment.
 * tests/e2e/api.py says what the digest in page.c must be when the script has changed.
 */
(()=>{
const past={},room=60,box=document.getElementById("live");let last=0,late,up;
const esc=v=>v.replace(/[\\"]/g,"\\$&").replace(/\n/g,"\\n");
const key=(m,s)=>m.name+"{"+Object.entries(s.labels).map(([k,v])=>k+'="'+esc(v)+'"').join(",")+"}";
const say=(text,cls)=>{box.textContent=text;box.className=cls;box.hidden=false};
const draw=()=>document.querySelectorAll("[data-k]").forEach(e=>{
const p=past[e.dataset.k]||[],top=Math.max(...p),low=Math.min(...p),
	flat=top-low<=Math.abs(top)*.02;
if(p.length<2)return;
const y=v=>flat?6:11-10*(v-low)/(top-low),
	at=p.map((v,i)=>(room-p.length+i)+","+y(v).toFixed(1)).join(" ");
e.insertAdjacentHTML("beforeend",
	' <svg viewBox="0 0 59 12" width="59" height="12"><polyline points="'+at+'"/></svg>')});
const show=async()=>{
const now=new DOMParser().parseFromString(await(await fetch("/")).text(),
	"text/html").querySelector("main");
if(!now)throw 0;
if(!getSelection().isCollapsed)return say("waits: text is selected","");
document.querySelector("main").replaceWith(now);draw();
	up?say("live","ok"):say("no new samples","bad")};
const wait=()=>{clearTimeout(late);
	late=setTimeout(()=>say("no new samples","bad"),+box.dataset.wait)};wait();
const events=new EventSource("/api/v1/stream");
events.onerror=()=>{clearTimeout(late);say("not live","bad")};
events.addEventListener("snapshot",e=>{
const all=JSON.parse(e.data).metrics;
	up=all.some(m=>m.name=="uncored_up"&&m.series.some(s=>+s.value));if(up)wait();
for(const m of all)if(m.type=="gauge"&&m.name.startsWith("uncore_"))
	for(const s of m.series)
if(s.valid){const k=key(m,s),p=past[k]=past[k]||[];p.push(+s.value);if(p.length>room)p.shift()}
if(document.hidden||Date.now()-last<900)return;
last=Date.now();show().catch(()=>say("not live","bad"))})
})()
