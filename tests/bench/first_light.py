"""first_light.py - what a start and 784 counters cost: start to first sample on the model, and the memory of both processes
while every counter of eight sockets is sampled through msr files. Figures of this machine, beside the goals."""
import os
import re
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("top_srcdir", "."), "tests/e2e"))
import harness as h

# Every counter of a Xeon 7500: U 1, C 8 x 6, B 2 x 4, S 2 x 4, R 16, M 2 x 6, W 4 and the fixed one: 98 a socket.
EVENTS = (["ubox/WOKEN"] + ["cbox/TRANS_" + q for q in ("IRQ", "IPQ", "VIQ", "MAF", "RWRF", "RSPF")] +
          ["bbox/" + e for e in ("IMT_VALID_OCCUPANCY", "IMT_INSERTS_ALL", "IMT_NE_CYCLES", "CONFLICTS")] +
          ["sbox/PKTS_" + e for e in ("SENT_SNP", "SENT_NDR", "RCVD_NDR", "RCVD_SNP")] +
          ["rbox/%s,port=%d" % (e, p) for p in range(8) for e in ("NULL_IDLE", "FLITS_SENT")] +
          ["mbox/" + e for e in ("CYCLES", "PAGE_HIT", "PAGE_MISS", "PAGE_EMPTY", "BBOX_CMDS_ALL", "REFRESH")] +
          ["wbox/" + e for e in ("CLOCKTICKS", "PROCHOT", "TM1_ON:ALL", "C_CYCLES_TURBO:ALL", "RATIO_CHANGE_ABORT:ALL")])


def pss(pid):
    return int(re.search(r"Pss:\s+(\d+)", open("/proc/%d/smaps_rollup" % pid).read()).group(1)) / 1024


def start_to_first_sample(conf):
    times = []
    for i in range(7):
        t = time.monotonic()
        u = h.Process([h.UNCORED, "--listen", "127.0.0.1:0", "-c", conf, "--engine", "model:nehalem-ex"], "start-%d" % i)
        while "serving" not in u.text():        # said when every socket has its first sample
            time.sleep(0.0005)
        times.append(1000 * (time.monotonic() - t))
        u.stop()
    return sorted(times)


def main():
    conf = h.write("all.conf", 'groups = ( { name = "all"; events = [ %s ]; } );\n' % ", ".join('"%s"' % e for e in EVENTS))
    times = start_to_first_sample(conf)
    print("start to first sample, model, 196 counters: median %.1f ms [%.1f..%.1f], goal < 100" % (times[3], times[0], times[-1]))
    fs = h.Msrfs("--sockets", "8")
    u = h.Uncored("-c", conf, *fs.options())
    time.sleep(3)
    for _ in range(100):
        u.get("/metrics")
        u.get("/metrics", {"Accept": "application/openmetrics-text;version=1.0.0"})
    slots = sum(name.startswith("uncored_slot_valid") for name in u.metrics())
    both = pss(u.pid) + pss(u.child())
    print("memory (PSS) with %d counters, both formats served: %.1f MiB = %.1f + %.1f, goal < 12" %
          (slots, both, pss(u.pid), pss(u.child())))
    return 0 if slots == 784 and both < 12 and times[3] < 100 else 1


sys.exit(main())
