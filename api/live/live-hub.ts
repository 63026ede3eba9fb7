import { setTimeout as sleep } from 'node:timers/promises';
import { CLOSE_CODES, LIVE_INTERVAL_MS, PING_INTERVAL_MS } from '#shared/live/constants.ts';
import type { LiveMessage, PollVotes } from '#shared/live/schema.ts';
import type { LiveEvent } from './live-events.ts';
import { textFrame } from './live-frame.ts';
import { createThrottle } from './throttle.ts';

const SOCKETS_OF_USER_MAX = 5;
const SILENCE_MAX_MS = 75_000;
const BEAT_MS = 15_000;
/** Whatever tells of ended sessions might get lost; this finds them all the same. */
const SESSIONS_CHECKED_EVERY_MS = 60_000;
/** A reader that leaves this much unread is cut off: it will read the present state when it comes back. */
const UNREAD_MAX_BYTES = 1024 * 1024;
/** What happens within this time goes to a socket in one write. */
const GATHER_MS = 25;
/** So that at the other end of an uneven network two messages are a second apart as well. */
const SPACING_MS = LIVE_INTERVAL_MS + 50;

/** An open socket of a signed-in user. */
export type LiveSocket = {
  readonly userId: number;
  readonly sessionHash: string;
  /** When the peer was last heard of, by `performance.now()`. */
  heardMs: number;
  /** Resolves when the connection is gone. */
  readonly gone: Promise<void>;
  /** Bytes on their way to the peer. */
  unreadBytes(): number;
  /** Writes whole frames. */
  write(frames: Buffer): void;
  ping(): void;
  close(code: number, reason: string): void;
  /** Cuts the connection. */
  cut(): void;
};

type HubOptions = {
  /** False lifts the number of sockets a user may have. */
  limited: boolean;
  /** Which of these sessions have not ended. */
  findOpenSessions(sessionHashes: readonly string[]): Promise<ReadonlySet<string>>;
  onError(error: unknown): void;
};

export type LiveHub = ReturnType<typeof createLiveHub>;

/** The sockets of this process, and what they are told. Nobody is connected yet. */
export function createLiveHub({ limited, findOpenSessions, onError }: HubOptions) {
  const sockets = new Map<number, Set<LiveSocket>>();
  const relays = new Set<(event: LiveEvent) => void>();
  const votes = createThrottle<PollVotes>(SPACING_MS, broadcast);
  const points = createThrottle<Extract<LiveEvent, { type: 'user' }>>(SPACING_MS, tellUser);
  let gathered: Buffer[] = [];
  let isStopping = false;
  let sessionsCheckedMs = performance.now();
  const beat = setInterval(keepAlive, BEAT_MS);
  beat.unref();

  function all(): LiveSocket[] {
    return [...sockets.values()].flatMap((own) => [...own]);
  }

  function write(socket: LiveSocket, frames: Buffer): void {
    socket.write(frames);
    if (socket.unreadBytes() > UNREAD_MAX_BYTES) socket.cut();
  }

  function broadcast(message: LiveMessage): void {
    if (sockets.size === 0) return;
    gathered.push(textFrame(message));
    if (gathered.length === 1) setTimeout(writeGathered, GATHER_MS).unref();
  }

  function writeGathered(): void {
    const frames = Buffer.concat(gathered);
    gathered = [];
    for (const own of sockets.values()) for (const socket of own) write(socket, frames);
  }

  function tellUser({ userId, points, rev }: { userId: number; points: number; rev: number }): void {
    const own = sockets.get(userId);
    if (own === undefined) return;
    const frame = textFrame({ type: 'user', points, rev } satisfies LiveMessage);
    for (const socket of own) write(socket, frame);
  }

  function keepAlive(): void {
    const nowMs = performance.now();
    for (const socket of all()) {
      const silentMs = nowMs - socket.heardMs;
      if (silentMs > SILENCE_MAX_MS) socket.cut();
      else if (silentMs > PING_INTERVAL_MS - BEAT_MS) socket.ping();
    }
    if (nowMs - sessionsCheckedMs >= SESSIONS_CHECKED_EVERY_MS) checkSessions();
  }

  /** Closes the sockets whose sessions have ended: those of one user, or all. */
  function checkSessions(userId?: number): void {
    if (userId === undefined) sessionsCheckedMs = performance.now();
    const checked = userId === undefined ? all() : [...(sockets.get(userId) ?? [])];
    if (checked.length === 0) return;
    findOpenSessions([...new Set(checked.map(({ sessionHash }) => sessionHash))]).then((open) => {
      for (const socket of checked) {
        if (!open.has(socket.sessionHash)) socket.close(CLOSE_CODES.SESSION_ENDED, 'The session has ended');
      }
    }, onError);
  }

  /** Tells the sockets of this process what happened here or in another one. */
  function receive(event: LiveEvent): void {
    switch (event.type) {
      case 'poll.votes':
        votes.offer(event.id, event);
        break;
      case 'poll.created':
        broadcast(event);
        break;
      case 'poll.removed':
        votes.drop(event.id);
        broadcast(event);
        break;
      case 'user':
        points.offer(String(event.userId), event);
        break;
      case 'sessions':
        checkSessions(event.userId);
        break;
    }
  }

  return {
    receive,
    checkSessions,
    countSockets: () => all().length,
    /** Tells all sockets, of other processes too. To be called after the commit of what it tells. */
    publish(event: LiveEvent): void {
      receive(event);
      for (const relay of relays) relay(event);
    },
    /** Hands every event that is published here to `relay`, which brings it to the other processes. */
    relayTo(relay: (event: LiveEvent) => void): void {
      relays.add(relay);
    },
    /** Takes a socket in, whose session was good a moment ago. Of too many of one user the oldest goes. */
    add(socket: LiveSocket): void {
      const own = sockets.get(socket.userId) ?? new Set();
      const [oldest] = own;
      if (limited && oldest !== undefined && own.size >= SOCKETS_OF_USER_MAX) {
        oldest.close(CLOSE_CODES.REPLACED, 'Another one was opened');
      }
      sockets.set(socket.userId, own.add(socket));
      if (isStopping) socket.close(CLOSE_CODES.GOING_AWAY, 'The server stops');
      // The session may have ended while the connection was made.
      else checkSessions(socket.userId);
    },
    remove(socket: LiveSocket): void {
      const own = sockets.get(socket.userId);
      own?.delete(socket);
      if (own?.size === 0) sockets.delete(socket.userId);
    },
    /** Closes every socket, now and from now on. Resolves when the connections are gone. */
    async stop(): Promise<void> {
      isStopping = true;
      clearInterval(beat);
      votes.stop();
      points.stop();
      if (gathered.length > 0) await sleep(GATHER_MS);
      const open = all();
      for (const socket of open) socket.close(CLOSE_CODES.GOING_AWAY, 'The server stops');
      await Promise.all(open.map(({ gone }) => gone));
    },
  };
}
