/* SPDX-License-Identifier: MIT */
#include "daemon/front.h"

#include "children/spawner.h"
#include "daemon/listening.h"
#include "process/confine.h"
#include "process/privileges.h"

#include <string.h>

void front_start(struct front *f, const struct options *o)
{
	*f = (struct front){ .certs = CERTS_NONE, .pause.fd = -1 };
	f->http = (struct supervisor){ .child = HTTP_PROCESS_NONE, .tls = f->certs.tls,
				       .listeners = &f->listeners };
	if (o->mode == MODE_RUN)
		f->r = http_process_start(false, &f->http.child, &f->err);
}

static int open_all(struct front *f, const struct options *o, const struct conf *conf)
{
	const struct listen_wanted wanted = listening_wanted(o, conf);
	int r = listeners_open(&wanted, &f->listeners, &f->err);

	if (r < 0)
		return r;
	f->http.tls = f->certs.tls;
	if (f->http.tls.used) {                 /* it was started before that was known */
		http_process_end(&f->http.child);
		r = http_process_start(true, &f->http.child, &f->err);
		if (r < 0)
			return r;
	}
	r = http_process_send_listeners(&f->http.child, f->http.tls.fd, f->listeners.fds,
					f->listeners.n, &f->err);
	if (r < 0)
		return r;
	pause_socket_open(&f->pause, o->run, &conf->pause);
	r = privileges_reduce(CAPS_ENGINES | CAPS_PROCESSES, &f->err);
	if (r < 0)
		return r;
	r = confine_counting(&f->err);
	if (r < 0)
		return r;
	r = spawner_begin(o->args, o->n_args, &f->err);
	if (r < 0)
		return r;
	return privileges_reduce(CAPS_ENGINES, &f->err);
}

void front_open(struct front *f, const struct options *o, const struct conf *conf)
{
	if (o->mode == MODE_RUN && f->r >= 0)
		f->r = open_all(f, o, conf);
}

void front_take_certs(struct front *f, struct certs *certs)
{
	bool same = memcmp(&f->certs.read, &certs->read, sizeof(certs->read)) == 0;

	supervisor_take_tls(&f->http, &certs->tls, same);
	certs_close(&f->certs);
	f->certs = *certs;
	*certs = CERTS_NONE;
}

void front_check(struct front *f, const struct conf *conf)
{
	struct certs certs;

	if (certs_renew(&f->certs, &conf->tls, &certs))
		front_take_certs(f, &certs);
	supervisor_check_beat(&f->http);
}

void front_close(struct front *f)
{
	http_process_end(&f->http.child);
	certs_close(&f->certs);
	pause_socket_close(&f->pause);
	listeners_close(&f->listeners);
}
