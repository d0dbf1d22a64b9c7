/* nehalem_ex_m.h - what the M-Boxes of the Xeon 7500 and of Westmere-EX share beside their rows.
 *
 * Owns:  the numbers of the sub-controls and of the places' targets, the FVC and MAP layouts.
 * Never: anything that another box needs.
 */
#ifndef CATALOG_NEHALEM_EX_M_H
#define CATALOG_NEHALEM_EX_M_H

#include "catalog/nehalem_ex.h"

enum { ID_MATCH = 1, ID_MASK, ID_MM_CFG, ID_DSP, ID_ISS, ID_MAP, ID_THR, ID_PGT, ID_PLD, ID_FVC };

/* FVC has four event fields, one for each inc_sel 0x0d..0x10; what else it holds is common to all four. Above the
 * fill victim index everything sits `up` bits higher where that index is wider. */
enum { T_EVNT, T_BCMD, T_RESP, T_FVID, T_INIT_ERR };
#define FVC(n, up) { .code = 0x0d + (n), .t = { \
	[T_EVNT] = { ID_FVC, 13 + 3 * (n) + (up), 11 + 3 * (n) + (up) }, \
	[T_BCMD] = { ID_FVC, 7 + (up), 5 + (up) }, [T_RESP] = { ID_FVC, 10 + (up), 8 + (up) }, \
	[T_FVID] = { ID_FVC, 4 + (up), 0 }, [T_INIT_ERR] = { ID_FVC, 23 + (up), 23 + (up) } } }
enum { T_MAP_CMD, T_MAP_FVID };
#define MAP(up) { .code = 0x00, .t = { [T_MAP_CMD] = { ID_MAP, 8 + (up), 5 + (up) }, \
	[T_MAP_FVID] = { ID_MAP, 4 + (up), 0 } } }
#define FVID_KEY(target_, up) \
	{ .name = "fvid", .target = (target_), .hi = 4 + (up), .lo = 0, \
	  .help = "Fill victim index: the controller's number of a transaction" }

/* flag_mode and set_flag_sel of the control word. */
#define CTL_FLAG(sel) (BIT(7) | (uint64_t)(sel) << 19)

enum { NEHALEM_EX_M_FVC_UMASKS = 15, NEHALEM_EX_M_QUEUED_UMASKS = 9 };
extern const struct cat_umask nehalem_ex_m_fvc_umasks[NEHALEM_EX_M_FVC_UMASKS];
extern const struct cat_umask nehalem_ex_m_queued_umasks[NEHALEM_EX_M_QUEUED_UMASKS];

#endif
