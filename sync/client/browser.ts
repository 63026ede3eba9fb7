import { liveQuery } from 'dexie';
import { v4 as uuidv4 } from 'uuid';
import { IMAGE_PATH_PREFIX } from '#shared/polls/constants.ts';
import { countUnread } from '#sync/client/cache/notification-reads.ts';
import { countOutbox } from '#sync/client/cache/reads.ts';
import { showBadge } from '#sync/client/device/badge.ts';
import { cookieDeviceNote, deleteStaleCopy } from '#sync/client/device/device-note.ts';
import { dropImages } from '#sync/client/device/image-cache.ts';
import { browserLock } from '#sync/client/device/lock.ts';
import { createOutcomeRelay, type TabChannel } from '#sync/client/device/outcome-relay.ts';
import { systemClock } from '#sync/client/device/system-clock.ts';
import { fetchTransport } from '#sync/client/device/transport.ts';
import { BACKGROUND_DRAIN_TAG } from '#sync/protocol/worker.ts';
import type { Capabilities, SessionChannel, Socket, SocketEvents, StorageManager } from './capabilities.ts';
import { DATABASE_PREFIX, type UserDb } from './db.ts';
import type { EngineEvent } from './emitter.ts';
import type { Engine } from './engine.ts';
import { runInBackground } from './run-in-background.ts';

/** A channel for messages between tabs. In a browser without `BroadcastChannel` no messages arrive. */
function openChannel(name: string): TabChannel {
  if (typeof BroadcastChannel === 'undefined') return { post() {}, listen() {} };
  const channel = new BroadcastChannel(name);
  return {
    post: (message) => channel.postMessage(message),
    listen: (listener) => channel.addEventListener('message', ({ data }) => listener(data)),
  };
}

/** Without `BroadcastChannel`, tabs learn of logins and logouts in other tabs from the server. */
function sessionChannel(): SessionChannel {
  const { post, listen } = openChannel('this-or-that-session');
  return { announce: () => post('changed'), listen };
}

/** Shows the outcome of each op once, in a visible tab if there is one, no matter which tab has sent the op. */
export function showOutcomes(engine: Engine, show: (event: EngineEvent) => void): void {
  const relay = createOutcomeRelay({
    channel: openChannel('this-or-that-outcomes'),
    clock: systemClock,
    newId: uuidv4,
    isVisible: () => document.visibilityState === 'visible',
    hasUser(userId) {
      const session = engine.session.get();
      return session.status === 'user' && session.user.id === userId;
    },
    show,
  });
  engine.onEvent(relay);
}

const storage: StorageManager = {
  async persist() {
    await navigator.storage?.persist?.().catch(() => false);
  },
  async freeBytes() {
    const estimate = await navigator.storage?.estimate?.().catch(() => null);
    if (estimate?.quota === undefined || estimate.usage === undefined) return null;
    return estimate.quota - estimate.usage;
  },
  dropImages,
};

/** A WebSocket to the server of this page. */
function openSocket(path: string, events: SocketEvents): Socket {
  const socket = new WebSocket(new URL(path, location.href.replace(/^http/, 'ws')));
  socket.addEventListener('open', events.opened);
  socket.addEventListener('message', ({ data }) => events.received(String(data)));
  socket.addEventListener('close', ({ code }) => events.closed(code));
  return {
    send(text) {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    close: () => socket.close(),
  };
}

/** The capabilities of a real browser. */
export function browserCapabilities(): Capabilities {
  return {
    transport: fetchTransport(),
    clock: systemClock,
    lock: browserLock(),
    tabs: sessionChannel(),
    storage,
    openSocket,
    requestBackgroundDrain: () => runInBackground(requestBackgroundDrain()),
    deviceNote: cookieDeviceNote,
    isOnline: () => navigator.onLine,
    databasePrefix: DATABASE_PREFIX,
    random: () => Math.random(),
  };
}

/** Closes the push messages that this device shows; they may be about a user who is no longer logged in. */
async function closePushMessages(): Promise<void> {
  if (typeof navigator.serviceWorker === 'undefined') return;
  const registration = await navigator.serviceWorker.getRegistration();
  for (const message of (await registration?.getNotifications()) ?? []) message.close();
}

/** Keeps the cookie and the badge of a user up to date until the returned function is called. */
function showCounts(db: UserDb, userId: number): () => void {
  const counts = liveQuery(() =>
    db.transaction('r', [db.ops, db.listMeta, db.notifications], async () => {
      const { waiting, needsDecision } = await countOutbox(db);
      return { changes: waiting + needsDecision, unread: await countUnread(db) };
    }),
  );
  let last: { changes: number; unread: number } | null = null;
  // If the database is evicted and recreated, `onEvicted` has set the number in the cookie to 0.
  db.on('populate', () => {
    last = null;
  });
  const subscription = counts.subscribe({
    next: ({ changes, unread }) => {
      // The query also runs after changes that leave the numbers as they are, and both are slow to write.
      if (changes !== last?.changes) cookieDeviceNote.noteWaiting(userId, changes);
      if (changes !== last?.changes || unread !== last.unread) void showBadge(changes + unread);
      last = { changes, unread };
    },
    // A failed read changes neither number; the query runs again after the next change.
    error: () => {},
  });
  return () => subscription.unsubscribe();
}

/**
 * Keeps two numbers up to date for the logged-in user: the cookie with the number of changes in the outbox, and the badge of
 * the app's icon, which also counts unread notifications. Closes the push messages when the user changes.
 */
export function trackWaitingChanges(engine: Engine): void {
  /** The database whose changes are counted; null if nobody is logged in, undefined before the session is known. */
  let trackedDb: UserDb | null | undefined;
  let trackedUserId: number | null | undefined;
  let stop = () => {};
  engine.session.subscribe(() => {
    // The response that changed the session may have set an older copy of the cookie.
    deleteStaleCopy();
    const session = engine.session.get();
    // It is unknown who is logged in.
    if (session.status === 'storage_blocked') return;
    const db = session.status === 'user' ? session.db : null;
    if (db === trackedDb) return;
    const userId = session.status === 'user' ? session.user.id : null;
    // If a user is logged in when the page starts, the messages are theirs.
    const isStartOfUser = trackedUserId === undefined && userId !== null;
    if (userId !== trackedUserId && !isStartOfUser) runInBackground(closePushMessages());
    trackedUserId = userId;
    trackedDb = db;
    stop();
    if (session.status === 'user') stop = showCounts(session.db, session.user.id);
    else void showBadge(0);
  });
}

/** Notifies the engine when the page is shown or hidden, and when the browser goes online or offline. */
export function watchPageEvents(engine: Engine): void {
  window.addEventListener('online', () => engine.tryConnection());
  window.addEventListener('offline', () => engine.wentOffline());
  window.addEventListener('pageshow', (event) => {
    if (event.persisted) engine.tryConnection();
  });
  const updateVisibility = () => engine.setVisible(document.visibilityState === 'visible');
  updateVisibility();
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') engine.tryConnection();
    updateVisibility();
  });
}

/** Registers a background sync, which only Chromium has. Other browsers send waiting changes when a page is opened again. */
async function requestBackgroundDrain(): Promise<void> {
  if (typeof navigator.serviceWorker === 'undefined') return;
  const registration: ServiceWorkerRegistration & { sync?: { register(tag: string): Promise<void> } } =
    await navigator.serviceWorker.ready;
  await registration.sync?.register(BACKGROUND_DRAIN_TAG);
}

/**
 * Lets the service worker cache the images of the first visit. The page has loaded them before the worker took control, and
 * fetches them again afterwards (from the HTTP cache).
 */
export async function keepImagesOfFirstVisit(): Promise<void> {
  if (!('serviceWorker' in navigator) || navigator.serviceWorker.controller !== null) return;
  await new Promise((resolve) =>
    navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true }),
  );
  for (const { currentSrc, src } of document.images) {
    const address = currentSrc || src;
    const { pathname } = new URL(address, location.href);
    if (pathname.startsWith(IMAGE_PATH_PREFIX)) runInBackground(fetch(address));
  }
}
