/* SPDX-License-Identifier: MIT
 * What uncored and uncorectl say to each other about a pause.
 *
 * Owns:  the socket's name in the run directory, and the one line that uncored writes.
 */
#ifndef BASE_PAUSING_H
#define BASE_PAUSING_H

#define PAUSE_FILE    "uncored.pause"
#define PAUSE_BEGAN   "paused"
#define PAUSE_REFUSED "refused: "       /* then a sentence */

#endif
