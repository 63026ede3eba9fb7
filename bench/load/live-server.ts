import { createServer } from 'node:http';
import { pino } from 'pino';
import type { Database } from '#api/db/client.ts';
import { createLimits } from '#api/http/limits/limits.ts';
import { createLiveHub } from '#api/live/live-hub.ts';
import { openSocket } from '#api/live/open-socket.ts';
import { acceptUpgrades, isSocketRequest } from '#api/live/upgrades.ts';
import { voteEvent } from './vote-event.ts';

// The entry point of a process with the server's live updates, but without the rest of the server. It listens on the port in
// PORT. POST /publish?from=0&to=100 publishes one event for each of 100 polls.

const report = (error: unknown) => console.error(error);

/** Treats every session as open. */
const live = createLiveHub({
  limited: false,
  findOpenSessions: async (hashes) => new Set(hashes),
  onError: report,
});
// Disabled limits never use the database.
const limits = createLimits({} as Database, { enabled: false });
const deps = { live, limits, log: pino({ level: 'silent' }) };
let users = 0;

function publish(query: URLSearchParams): void {
  for (let index = Number(query.get('from')); index < Number(query.get('to')); index += 1) {
    live.publish(voteEvent(index));
  }
}

const server = createServer({ shouldUpgradeCallback: isSocketRequest }, (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname === '/publish') publish(searchParams);
  response.end();
});
acceptUpgrades(
  server,
  (_, bindings) => {
    users += 1;
    bindings?.accept?.({ userId: users, sessionHash: String(users), client: '127.0.0.1', requestId: '' });
    return new Response();
  },
  { headers: {}, open: (...connected) => openSocket(deps, ...connected), onError: report },
);
server.listen(Number(process.env.PORT), '127.0.0.1');
