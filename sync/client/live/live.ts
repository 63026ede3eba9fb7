import type { Capabilities } from '#sync/client/capabilities.ts';
import type { ConnectionMonitor } from '#sync/client/connection-monitor.ts';
import { runInBackground } from '#sync/client/run-in-background.ts';
import type { ServerClock } from '#sync/client/server-clock.ts';
import { createLiveSocket, type LiveSocket } from './live-socket.ts';
import { createLiveUpdates, type LiveUpdates, type LiveUpdatesContext } from './live-updates.ts';

/**
 * If the first socket opens later than this after the tab was opened, the data that the page has loaded may be outdated, and is
 * fetched again. If it opens earlier, an update between a response and the opening is missed until the next update, pull or
 * reconnect, because fetching the data again would double the requests of each start.
 */
const FRESH_MS = 2_000;

type LiveContext = LiveUpdatesContext &
  Pick<Capabilities, 'openSocket'> & {
    connection: ConnectionMonitor;
    serverClock: ServerClock;
    /** Checks the session and sends waiting ops. */
    refresh(): Promise<void>;
  };

/** The socket of a tab and its live updates. */
export type Live = Omit<LiveUpdates, 'handle' | 'refetchWatched' | 'pullNotificationsSoon'> & LiveSocket;

/** Creates the socket and the live updates of a tab and connects them. */
export function createLive(context: LiveContext): Live {
  const { clock, connection, serverClock } = context;
  const tabOpenedAt = clock.now();
  const { handle, refetchWatched, pullNotificationsSoon, ...updates } = createLiveUpdates(context);
  const socket = createLiveSocket({
    ...context,
    onOpen(isReconnect) {
      const { phase } = connection.state.get();
      connection.report('reached');
      // The data is still fresh. (A page that was hidden at its start may open its first socket much later.)
      if (!isReconnect && clock.now() - tabOpenedAt < FRESH_MS) return;
      refetchWatched();
      pullNotificationsSoon();
      // If the server was unreachable before, the connection monitor has triggered a refresh.
      if (phase !== 'disconnected' && phase !== 'failed') runInBackground(context.refresh());
    },
    onUpdate: handle,
    onServerTime: serverClock.learnFromPong,
    onConnectionLost: () => connection.report('trouble'),
    onSessionDoubt: () => runInBackground(context.checkSession()),
  });
  return { ...updates, ...socket };
}
