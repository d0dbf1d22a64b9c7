/* page_live.c - what makes the front page follow the counters: its script, and the policy that lets
 * it run.
 *
 * Owns:  the script. It keeps the last 60 values of every gauge that the stream brings and draws
 *        them beside the value; once a second it fetches the page again, so that numbers are worded
 *        in one place (page.c). Without it the page is a snapshot.
 *        It says "live" of numbers that it has just shown, and takes the word back when the stream
 *        brings none for three intervals, or says that every socket has stalled.
 * Never: anything from elsewhere: the policy names the script by its digest and allows connections
 *        to this server only.
 */
#include "config.h"

#include "expo/description.h"

/* tests/e2e/api.py says what the digest must be when the script has changed. */
const char expo_page_policy[] =
	"default-src 'none'; style-src 'unsafe-inline'; script-src "
	"'sha256-puQDZHLWbe7eDcydNqdm/08UTMkK1mTmqwOBlt5nJ5M='; connect-src 'self'; base-uri "
	"'none'; form-action 'none'; frame-ancestors 'none'";

const char page_script[] =
	"(()=>{\n"
	"const past={},room=60,box=document.getElementById(\"live\");let last=0,late,up;\n"
	"const esc=v=>v.replace(/[\\\\\"]/g,\"\\\\$&\").replace(/\\n/g,\"\\\\n\");\n"
	"const key=(m,s)=>m.name+\"{\"+Object.entries(s.labels).map(([k,v])=>k+'=\"'+esc(v)"
	"+'\"').join(\",\")+\"}\";\n"
	"const say=(text,cls)=>{box.textContent=text;box.className=cls;box.hidden=false};\n"
	"const draw=()=>document.querySelectorAll(\"[data-k]\").forEach(e=>{\n"
	"const p=past[e.dataset.k]||[],top=Math.max(...p),low=Math.min(...p),"
	"flat=top-low<=Math.abs(top)*.02;\n"
	"if(p.length<2)return;\n"
	"const y=v=>flat?6:11-10*(v-low)/(top-low),at=p.map((v,i)=>(room-p.length+i)+\",\"+y(v)"
	".toFixed(1)).join(\" \");\n"
	"e.insertAdjacentHTML(\"beforeend\","
	"' <svg viewBox=\"0 0 59 12\" width=\"59\" height=\"12\"><polyline points=\"'+at+'\"/>"
	"</svg>')});\n"
	"const show=async()=>{\n"
	"const now=new DOMParser().parseFromString(await(await fetch(\"/\")).text(),"
	"\"text/html\").querySelector(\"main\");\n"
	"if(!now)throw 0;\n"
	"if(!getSelection().isCollapsed)return say(\"waits: text is selected\",\"\");\n"
	"document.querySelector(\"main\").replaceWith(now);draw();up?say(\"live\",\"ok\")"
	":say(\"no new samples\",\"bad\")};\n"
	"const wait=()=>{clearTimeout(late);late=setTimeout(()=>say(\"no new samples\",\"bad\")"
	",+box.dataset.wait)};wait();\n"
	"const events=new EventSource(\"/api/v1/stream\");\n"
	"events.onerror=()=>{clearTimeout(late);say(\"not live\",\"bad\")};\n"
	"events.addEventListener(\"snapshot\",e=>{\n"
	"const all=JSON.parse(e.data).metrics;up=all.some(m=>m.name==\"uncored_up\"&&"
	"m.series.some(s=>+s.value));if(up)wait();\n"
	"for(const m of all)if(m.type==\"gauge\"&&m.name.startsWith(\"uncore_\"))"
	"for(const s of m.series)\n"
	"if(s.valid){const k=key(m,s),p=past[k]=past[k]||[];p.push(+s.value);if(p.length>room)"
	"p.shift()}\n"
	"if(document.hidden||Date.now()-last<900)return;\n"
	"last=Date.now();show().catch(()=>say(\"not live\",\"bad\"))})\n"
	"})()\n";
