import { setTimeout as sleep } from 'node:timers/promises';
import { LIVE_UPDATE_THROTTLE_MS, PING_INTERVAL_MS, SOCKET_CLOSE_CODES } from '#shared/live/constants.ts';
import type { LiveMessage, PollVotes } from '#shared/live/schema.ts';
import type { LiveEvent } from './live-events.ts';
import { textFrame } from './text-frame.ts';
import { createThrottle } from './throttle.ts';

const SOCKETS_OF_USER_MAX = 5;
/** A socket that is silent for longer is dead. */
const SILENCE_MAX_MS = 2.5 * PING_INTERVAL_MS;
const HEARTBEAT_INTERVAL_MS = 15_000;
/** How often the sessions of all sockets are checked, in case an event about ended ones was lost. */
export const SESSION_CHECK_INTERVAL_MS = 60_000;
/** Clients that have to fetch everything again are disconnected one after another within this time. */
const RESYNC_SPREAD_MS = 5_000;
/** A socket with more unsent bytes is disconnected; its client fetches the current state when it reconnects. */
const BUFFERED_MAX_BYTES = 1024 * 1024;
/** Messages within this time are sent in one write. */
const BATCH_DELAY_MS = 25;
/** For network jitter: clients expect at most one message in `LIVE_UPDATE_THROTTLE_MS`. */
const JITTER_MARGIN_MS = 50;
const UPDATE_INTERVAL_MS = LIVE_UPDATE_THROTTLE_MS + JITTER_MARGIN_MS;

export type LiveSocket = {
  readonly userId: number;
  readonly sessionHash: string;
  /** When the peer last sent anything, by `performance.now()`. */
  lastSeenMs: number;
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
  /** The bytes that are not sent yet. */
  bufferedBytes(): number;
  /** Writes whole frames. */
  write(frames: Buffer): void;
  ping(): void;
  close(code: number, reason: string): void;
  terminate(): void;
};

type HubOptions = {
  /** False lifts the limit of sockets per user. */
  limited: boolean;
  /** Returns the hashes of those sessions that are still open. */
  findOpenSessions(sessionHashes: readonly string[]): Promise<ReadonlySet<string>>;
  onError(error: unknown): void;
};

export type LiveHub = ReturnType<typeof createLiveHub>;

/** Keeps the sockets of this process and sends them live updates. */
export function createLiveHub({ limited, findOpenSessions, onError }: HubOptions) {
  const sockets = new Map<number, Set<LiveSocket>>();
  const relays = new Set<(event: LiveEvent) => void>();
  const voteThrottle = createThrottle<PollVotes>(UPDATE_INTERVAL_MS, broadcast);
  const pointsThrottle = createThrottle<Extract<LiveEvent, { type: 'user' }>>(
    UPDATE_INTERVAL_MS,
    ({ userId, points, rev }) => sendToUser(userId, { type: 'user', points, rev }),
  );
  const notificationThrottle = createThrottle<{ userId: number; rev: number }>(
    UPDATE_INTERVAL_MS,
    ({ userId }) => sendToUser(userId, { type: 'notifications' }),
  );
  /** The number of events about notifications so far. Serves as the revision that these events lack. */
  let notificationEventCount = 0;
  let pendingFrames: Buffer[] = [];
  let isStopping = false;
  let sessionsCheckedMs = performance.now();
  const heartbeat = setInterval(keepAlive, HEARTBEAT_INTERVAL_MS);
  heartbeat.unref();

  function allSockets(): LiveSocket[] {
    return [...sockets.values()].flatMap((userSockets) => [...userSockets]);
  }

  function write(socket: LiveSocket, frames: Buffer): void {
    socket.write(frames);
    if (socket.bufferedBytes() > BUFFERED_MAX_BYTES) socket.terminate();
  }

  function broadcast(message: LiveMessage): void {
    if (sockets.size === 0) return;
    pendingFrames.push(textFrame(message));
    if (pendingFrames.length === 1) setTimeout(writePending, BATCH_DELAY_MS).unref();
  }

  function writePending(): void {
    const frames = Buffer.concat(pendingFrames);
    pendingFrames = [];
    for (const userSockets of sockets.values()) for (const socket of userSockets) write(socket, frames);
  }

  function sendToUser(userId: number, message: LiveMessage): void {
    const userSockets = sockets.get(userId);
    if (userSockets === undefined) return;
    const frame = textFrame(message);
    for (const socket of userSockets) write(socket, frame);
  }

  function keepAlive(): void {
    const nowMs = performance.now();
    for (const socket of allSockets()) {
      const silentMs = nowMs - socket.lastSeenMs;
      if (silentMs > SILENCE_MAX_MS) socket.terminate();
      // At the next heartbeat, the silence would be longer than `PING_INTERVAL_MS`.
      else if (silentMs > PING_INTERVAL_MS - HEARTBEAT_INTERVAL_MS) socket.ping();
    }
    if (nowMs - sessionsCheckedMs >= SESSION_CHECK_INTERVAL_MS) checkSessions();
  }

  /** Closes the sockets, of one user or of all, whose sessions have ended. */
  async function checkSessions(userId?: number): Promise<void> {
    if (userId === undefined) sessionsCheckedMs = performance.now();
    const checked = userId === undefined ? allSockets() : [...(sockets.get(userId) ?? [])];
    if (checked.length === 0) return;
    await findOpenSessions([...new Set(checked.map(({ sessionHash }) => sessionHash))]).then((open) => {
      for (const socket of checked) {
        if (!open.has(socket.sessionHash))
          socket.close(SOCKET_CLOSE_CODES.SESSION_ENDED, 'The session has ended');
      }
    }, onError);
  }

  /**
   * To be called when events of other processes may have been missed. Closes the sockets whose sessions have ended, then all
   * others, whose clients reconnect and fetch the current state.
   */
  async function resync(): Promise<void> {
    const before = allSockets();
    await checkSessions();
    for (const socket of before) {
      const close = () => socket.close(SOCKET_CLOSE_CODES.GOING_AWAY, 'Updates may be missing');
      setTimeout(close, Math.random() * RESYNC_SPREAD_MS).unref();
    }
  }

  /** Sends an event of this or another process to the sockets of this process. */
  function receive(event: LiveEvent): void {
    switch (event.type) {
      case 'poll.votes':
        voteThrottle.offer(event.id, event);
        break;
      case 'poll.created':
        broadcast(event);
        break;
      case 'poll.removed':
        voteThrottle.drop(event.id);
        broadcast(event);
        break;
      case 'user':
        pointsThrottle.offer(String(event.userId), event);
        break;
      case 'notifications':
        notificationEventCount += 1;
        notificationThrottle.offer(String(event.userId), {
          userId: event.userId,
          rev: notificationEventCount,
        });
        break;
      case 'sessions':
        checkSessions(event.userId);
        break;
    }
  }

  return {
    receive,
    checkSessions,
    resync,
    countSockets: () => allSockets().length,
    /** Sends an event to the sockets of all processes. To be called after the commit of its change. */
    publish(event: LiveEvent): void {
      receive(event);
      for (const relay of relays) relay(event);
    },
    /** Passes every event published in this process to `relay`. */
    relayTo(relay: (event: LiveEvent) => void): void {
      relays.add(relay);
    },
    /** Adds a socket whose session was just checked. Closes the user's oldest socket if there are too many. */
    add(socket: LiveSocket): void {
      const userSockets = sockets.get(socket.userId) ?? new Set();
      const [oldest] = userSockets;
      if (limited && oldest !== undefined && userSockets.size >= SOCKETS_OF_USER_MAX) {
        oldest.close(SOCKET_CLOSE_CODES.REPLACED, 'Another socket was opened');
      }
      sockets.set(socket.userId, userSockets.add(socket));
      if (isStopping) socket.close(SOCKET_CLOSE_CODES.GOING_AWAY, 'The server is stopping');
      // The session may have ended since it was checked.
      else checkSessions(socket.userId);
    },
    remove(socket: LiveSocket): void {
      const userSockets = sockets.get(socket.userId);
      userSockets?.delete(socket);
      if (userSockets?.size === 0) sockets.delete(socket.userId);
    },
    /** Closes every socket, including those that are added later. Resolves when the connections are closed. */
    async stop(): Promise<void> {
      isStopping = true;
      clearInterval(heartbeat);
      voteThrottle.stop();
      pointsThrottle.stop();
      notificationThrottle.stop();
      if (pendingFrames.length > 0) await sleep(BATCH_DELAY_MS);
      const open = allSockets();
      for (const socket of open) socket.close(SOCKET_CLOSE_CODES.GOING_AWAY, 'The server is stopping');
      await Promise.all(open.map(({ closed }) => closed));
    },
  };
}
