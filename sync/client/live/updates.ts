import { background } from '#sync/client/background.ts';
import type { ConnectionMonitor } from '#sync/client/connection-monitor.ts';
import type { ServerClock } from '#sync/client/server-clock.ts';
import type { Capabilities } from '#sync/client/types.ts';
import { createLive, type Live } from './live-socket.ts';
import { createLiveUpdates, type LiveUpdates, type NewsContext } from './news.ts';

/** What was read when the page was loaded is old when its first socket opens later than this. */
const FRESH_MS = 10_000;

type UpdatesContext = NewsContext &
  Pick<Capabilities, 'openSocket'> & {
    connection: ConnectionMonitor;
    serverClock: ServerClock;
    /** Catches up with a server that can be reached again, and sends what waits. */
    refresh(): Promise<void>;
  };

/** The tab's socket, and what is made of its news. */
export type Updates = Omit<LiveUpdates, 'handle' | 'lookAgain'> & Live;

export function createUpdates(context: UpdatesContext): Updates {
  const { clock, connection, serverClock } = context;
  let startedAt = 0;
  const { handle, lookAgain, ...news } = createLiveUpdates(context);
  const live = createLive({
    ...context,
    onOpen(isAgain) {
      const before = connection.state.get();
      connection.tell('reached');
      // A page that nobody looks at has no socket.
      if (!isAgain && clock.now() - startedAt < FRESH_MS) return;
      lookAgain();
      // Otherwise the monitor has just noticed that the server is back, and does so itself.
      if (connection.state.get() === before) background(context.refresh());
    },
    onNews: handle,
    onServerTime: serverClock.learnExactly,
    onTrouble: () => connection.tell('trouble'),
    onDoubt: () => background(context.checkSession()),
  });
  return {
    ...news,
    ...live,
    start() {
      startedAt = clock.now();
      live.start();
    },
  };
}
