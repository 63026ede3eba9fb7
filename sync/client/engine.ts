import { v4 as uuidv4 } from 'uuid';
import type { User } from '#shared/accounts/schema.ts';
import { createPuller, type Puller } from '#sync/client/cache/puller.ts';
import { createEvictions } from '#sync/client/device/evictions.ts';
import { storeHomeSnapshot } from '#sync/client/device/home-snapshot.ts';
import { createDrainer } from '#sync/client/drain/drainer.ts';
import { createLive } from '#sync/client/live/live.ts';
import type { LiveUpdates } from '#sync/client/live/live-updates.ts';
import { moveOps, resetOpBackoff } from '#sync/client/outbox/outbox.ts';
import { finishLogoutBeforeLogin, logOut } from '#sync/client/session/log-out.ts';
import {
  checkUser,
  checkUserOrEnd,
  followOtherTab,
  openLastUser,
  startSession,
} from '#sync/client/session/session.ts';
import { createSessionCheck } from '#sync/client/session/session-check.ts';
import type { Session, SessionContext } from '#sync/client/session/session-context.ts';
import { createsPoll, operationOf } from '#sync/operations/registry.ts';
import type { Capabilities, Eviction, Transport } from './capabilities.ts';
import { type Changes, createChanges } from './changes.ts';
import { type ConnectionState, isReachable } from './connection.ts';
import { createConnectionMonitor, monitoredTransport } from './connection-monitor.ts';
import { loggedInUserId, openDeviceDb } from './db.ts';
import { createEmitter, type Emitter } from './emitter.ts';
import { type Observable, observable } from './observable.ts';
import { runInBackground } from './run-in-background.ts';
import { createServerClock } from './server-clock.ts';
import { withDatabaseTimeout } from './timeout.ts';

/** The engine as the app uses it. */
export type Engine = Changes &
  Puller &
  Pick<LiveUpdates, 'hasNewPolls' | 'watchPoll' | 'checkResults'> &
  Pick<Emitter, 'onEvent'> & {
    readonly session: Observable<Session>;
    /** An eviction reported in this tab, or null. */
    readonly eviction: Observable<Eviction | null>;
    readonly connection: Observable<ConnectionState>;
    /** Shows the last user's cache at once, asks the server who is logged in, and starts to drain. */
    start(): Promise<void>;
    /** Sets the logged-in user after a login, a sign-up or a change of the account. */
    setUser(user: User): Promise<void>;
    /** Fetches the logged-in user; an unreachable server changes nothing. */
    refreshUser(): Promise<void>;
    /**
     * Ends the session on this device, and on the server as soon as it can be reached. Waiting changes are kept for this
     * account or discarded. With `shown` (op ids), only these ops are discarded: another tab may have stored more.
     */
    logOut(waiting: 'keep' | 'discard', shown?: readonly string[]): Promise<void>;
    /** Completes a pending logout, before the next login. Resolves with false if the server could not be notified. */
    finishLogout(): Promise<boolean>;
    /** Sets whether the page is visible. Only while it is, sockets are opened and evictions reported. */
    setVisible(isVisible: boolean): void;
    /**
     * Stores the snapshot of the Polls tab (as HTML) for the next start, which shows it only if it has the same `look`: the build
     * and the layout in which the snapshot was taken.
     */
    keepHomeSnapshot(userId: number, html: string, look: string): Promise<void>;
    /** The server's time in milliseconds since 1970. */
    serverNow(): number;
    /** Calls `listener` on significant changes of the estimated server time; returns the function that unsubscribes. */
    onServerClock(listener: () => void): () => void;
    /** To be called when the browser goes offline. Checks the connection, repeatedly while the browser remains offline. */
    wentOffline(): void;
    /**
     * To be called when the browser may be online again or the user requests a retry. Checks the connection and sends waiting
     * changes or, if the session has ended, checks whether the user has logged in again.
     */
    tryConnection(): void;
  };

/** Creates the sync engine of one tab. */
export function createEngine(capabilities: Capabilities): Engine {
  const { clock, tabs } = capabilities;
  const device = openDeviceDb(capabilities.databasePrefix);
  const session = observable<Session>({ status: 'loading' });
  const { eviction, ...evictions } = createEvictions(capabilities.deviceNote, session);
  device.on('populate', (transaction) => {
    const current = session.get();
    if (current.status !== 'user') {
      evictions.recordCleared();
      return;
    }
    // The browser has evicted the device's database. The logged-in user is stored again.
    const entry = { key: 'lastUserId', value: current.user.id };
    runInBackground(Promise.resolve(transaction.table('entries').add(entry)));
  });
  const serverClock = createServerClock(clock, (value) =>
    runInBackground(device.entries.put({ key: 'clockOffsetMs', value })),
  );

  const { emit, onEvent } = createEmitter();
  const connection = createConnectionMonitor(capabilities, () =>
    runInBackground(refresh({ wasUnreachable: true })),
  );
  const monitored = monitoredTransport(capabilities.transport, connection);
  const transport: Transport = async (request) => {
    const response = await monitored(request);
    // A response without JSON may be from a captive portal, whose clock may be wrong.
    if (response.body) serverClock.learnFromHeaders(response.headers);
    return response;
  };
  const sessionContext: SessionContext = {
    ...capabilities,
    transport,
    device,
    session,
    generation: 0,
    notifying: null,
    loginUntilMs: 0,
    takeCleared: evictions.takeCleared,
    onEvicted: evictions.onEvicted,
  };

  /** Checks the session after a response that `userId` is not logged in, unless this tab has another user now. */
  async function onSessionRejected(userId: number): Promise<void> {
    const current = session.get();
    if (current.status !== 'user' || current.user.id !== userId) return;
    await checkSession(checkUserOrEnd);
  }

  const drainer = createDrainer({
    ...capabilities,
    transport,
    tabId: uuidv4(),
    session,
    emit,
    // The browser may wrongly report that it is offline.
    isOnline: () => capabilities.isOnline() || isReachable(connection.state.get()),
    isLoggedInHere: async (userId) => (await loggedInUserId(device)) === userId,
    onLoggedOutElsewhere: () => runInBackground(checkSession(followOtherTab)),
    onBlocked: (userId) => runInBackground(onSessionRejected(userId)),
    checkSession: () => checkSession(),
  });

  const changes = createChanges({ ...capabilities, device, session, drainer, emit });
  const onChecked = () => {
    evictions.report();
    drainer.drainAll();
  };
  const checkSession = createSessionCheck(sessionContext, onChecked, openAndCheck);
  const puller = createPuller({
    ...capabilities,
    transport,
    session,
    onLoggedOut: onSessionRejected,
  });

  const { start: startLive, ...live } = createLive({
    ...capabilities,
    session,
    puller,
    connection,
    serverClock,
    refresh: () => refresh({ wasUnreachable: false }),
    checkSession,
  });

  onEvent((event) => {
    const { type, op } = event;
    if (!operationOf(op).changesPolls) return;
    // After a refused vote, the card needs the current poll.
    if (type === 'rejected' && !createsPoll(op)) runInBackground(puller.pullPoll(op.entityId));
    if (type !== 'applied') return;
    // Live updates about later votes may have arrived before the response to the user's own vote.
    live.checkResults([op.entityId]);
    if (event.poll !== null) return;
    // The response could not be read or stored, or the poll no longer exists. The user is fetched, too, for the points.
    runInBackground(puller.pullPoll(op.entityId));
    runInBackground(checkSession());
  });

  /** Completes a pending logout, checks the session and sends waiting ops. */
  async function refresh({ wasUnreachable }: { wasUnreachable: boolean }): Promise<void> {
    await checkSession();
    await sendWaiting({ wasUnreachable });
  }

  /**
   * Makes waiting ops due, and sends them, except those that the server itself has postponed and, unless the server was
   * unreachable until now, polls whose upload keeps failing.
   */
  async function sendWaiting({ wasUnreachable = false } = {}): Promise<void> {
    const current = session.get();
    if (current.status !== 'user' || current.needsLogin) return;
    // The service worker sets ops to `blocked_auth` without ending the session of a tab.
    const moved = moveOps(current.db, 'blocked_auth', 'queued');
    const madeDue = moved.then(() => resetOpBackoff(current.db, { wasUnreachable }));
    // A database that does not respond is reopened by the drain.
    await withDatabaseTimeout(clock, madeDue).catch(() => {});
    drainer.drainAllAfterSignal();
  }

  /** Sends waiting ops or, if the session has ended, checks the session: this tab may have missed a login in another tab. */
  async function wake(): Promise<void> {
    const current = session.get();
    if (current.status === 'user' && current.needsLogin) await checkSession();
    else await sendWaiting();
  }

  /** Schedules a session check as if one had just failed. It also completes a pending logout. */
  function checkLater(): void {
    runInBackground(checkSession(async () => false));
  }

  /** Shows the last user's cache and sends waiting ops, then asks the server who is logged in. */
  async function openAndCheck(): Promise<boolean> {
    const offset = await device.entries.get('clockOffsetMs');
    if (offset !== undefined) serverClock.set(offset.value);
    await openLastUser(sessionContext);
    drainer.drainAll();
    return checkUser(sessionContext);
  }

  return {
    session,
    eviction,
    connection: connection.state,
    onEvent,
    async start() {
      tabs.listen(() => runInBackground(checkSession(followOtherTab)));
      await checkSession(openAndCheck);
      startLive();
    },
    async setUser(user) {
      await withDatabaseTimeout(clock, startSession(sessionContext, user));
      drainer.resetLaneBackoff();
      drainer.drainAll();
      // Required (docs/spec-coverage.md): after a login the user is set, then fetched again.
      runInBackground(checkSession());
    },
    refreshUser: async () => void (await checkSession()),
    async finishLogout() {
      const isNotified = await finishLogoutBeforeLogin(sessionContext);
      if (!isNotified) checkLater();
      return isNotified;
    },
    async logOut(waiting, shown) {
      let isNotified = false;
      try {
        isNotified = await logOut(sessionContext, waiting, shown);
      } finally {
        if (!isNotified) checkLater();
      }
    },
    ...changes,
    ...puller,
    // Must follow `puller`: replaces its `pullFeed` by one that also resets `hasNewPolls`.
    ...live,
    setVisible(isVisible) {
      live.setVisible(isVisible);
      evictions.setVisible(isVisible);
    },
    keepHomeSnapshot: (userId, html, look) => storeHomeSnapshot(device, session, userId, html, look),
    serverNow: serverClock.now,
    onServerClock: serverClock.onChange,
    wentOffline: connection.wentOffline,
    tryConnection() {
      connection.report('signal');
      runInBackground(wake());
    },
  };
}
