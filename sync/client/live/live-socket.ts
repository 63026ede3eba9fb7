import {
  CLOSE_CODES,
  LIVE_PATH,
  LIVE_USER_PARAMETER,
  PING_INTERVAL_MS,
  RECONNECT_DELAY_MS,
} from '#shared/live/constants.ts';
import { type LiveMessage, liveMessageSchema, type Ping, type Pong } from '#shared/live/schema.ts';
import type { Observable } from '#sync/client/observable.ts';
import type { Capabilities, Session, Socket } from '#sync/client/types.ts';

/** A connection that has not opened, or a ping that has no pong, after this time is none any more. */
const ANSWER_WITHIN_MS = 10_000;
const LOST = 1006;

export type News = Exclude<LiveMessage, Pong>;

export type LiveContext = Pick<Capabilities, 'clock' | 'openSocket'> & {
  session: Observable<Session>;
  /** Called when the socket is open; `isAgain` from the second time on. */
  onOpen(isAgain: boolean): void;
  onNews(news: News): void;
  /** What the server's clock showed in a round trip of so many milliseconds. */
  onServerTime(serverMs: number, roundTripMs: number): void;
  /** An open socket broke. Not called for the attempts that follow: they would make it sound again and again. */
  onTrouble(): void;
  /** The session may have ended: told by the server, or guessed from the first socket of a row that did not open. */
  onDoubt(): void;
};

/** The one socket of a tab. */
export type Live = {
  /** From now on there is a socket while somebody is signed in. */
  start(): void;
  /** Whether the page can be seen: only then a socket is opened. An open one stays. */
  setVisible(isVisible: boolean): void;
};

type Connection = {
  userId: number;
  socket: Socket;
  isOpen: boolean;
  pingedAt: number;
  timers: Map<string, () => void>;
};

/**
 * - `none`: nobody is signed in, or nobody looks
 * - `connected`: a socket is open, or opening
 * - `waiting`: the next one follows
 * - `replaced`: the server has closed it for newer ones of this user: the next one follows when somebody looks
 */
type State =
  | { phase: 'none' }
  | { phase: 'connected'; connection: Connection }
  | { phase: 'waiting'; userId: number; cancel(): void }
  | { phase: 'replaced'; userId: number };

export function createLive(context: LiveContext): Live {
  const { clock, session } = context;
  let state: State = { phase: 'none' };
  let isStarted = false;
  let isVisible = false;
  let hasBeenOpen = false;
  let hasDoubted = false;

  /** Whose socket there should be. */
  function wantedUser(): number | null {
    const current = session.get();
    return isStarted && current.status === 'user' && !current.needsLogin ? current.user.id : null;
  }

  function userOf(): number | null {
    if (state.phase === 'none') return null;
    return state.phase === 'connected' ? state.connection.userId : state.userId;
  }

  function follow(): void {
    const userId = wantedUser();
    if (userOf() !== null && userOf() !== userId) leave();
    if (state.phase === 'none' && userId !== null && isVisible) open(userId);
  }

  function leave(): void {
    const left = state;
    state = { phase: 'none' };
    hasDoubted = false;
    if (left.phase === 'waiting') left.cancel();
    if (left.phase === 'connected') end(left.connection);
  }

  function end({ socket, timers }: Connection): void {
    for (const cancel of timers.values()) cancel();
    socket.close();
  }

  function open(userId: number): void {
    const isCurrent = () => state.phase === 'connected' && state.connection === connection;
    const socket = context.openSocket(`${LIVE_PATH}?${LIVE_USER_PARAMETER}=${userId}`, {
      opened: () => isCurrent() && opened(connection),
      heard: (text) => isCurrent() && hear(connection, text),
      closed: (code) => isCurrent() && closed(connection, code),
    });
    const connection: Connection = { userId, socket, isOpen: false, pingedAt: 0, timers: new Map() };
    state = { phase: 'connected', connection };
    later(connection, 'answer', ANSWER_WITHIN_MS, () => closed(connection, LOST));
  }

  function later(connection: Connection, name: string, delayMs: number, run: () => void): void {
    connection.timers.get(name)?.();
    connection.timers.set(name, clock.setTimeout(run, delayMs));
  }

  function opened(connection: Connection): void {
    connection.isOpen = true;
    connection.pingedAt = clock.now();
    connection.timers.get('answer')?.();
    later(connection, 'ping', PING_INTERVAL_MS, () => ping(connection));
    const isAgain = hasBeenOpen;
    hasBeenOpen = true;
    hasDoubted = false;
    context.onOpen(isAgain);
  }

  function ping(connection: Connection): void {
    connection.pingedAt = clock.now();
    connection.socket.send(JSON.stringify({ type: 'ping', timestamp: connection.pingedAt } satisfies Ping));
    later(connection, 'answer', ANSWER_WITHIN_MS, () => closed(connection, LOST));
    later(connection, 'ping', PING_INTERVAL_MS, () => ping(connection));
  }

  function hear(connection: Connection, text: string): void {
    const message = parse(text);
    if (message === null) return;
    if (message.type !== 'pong') {
      context.onNews(message);
      return;
    }
    connection.timers.get('answer')?.();
    const roundTripMs = clock.now() - connection.pingedAt;
    const isOfThisPing = message.timestamp === connection.pingedAt && roundTripMs >= 0;
    if (isOfThisPing) context.onServerTime(message.serverTime, roundTripMs);
  }

  function closed(connection: Connection, code: number): void {
    const { userId, isOpen } = connection;
    // Whatever is left of it is not heard any more.
    state = { phase: 'replaced', userId };
    end(connection);
    if (code === CLOSE_CODES.REPLACED) return;
    const cancel = clock.setTimeout(() => {
      state = { phase: 'none' };
      follow();
    }, RECONNECT_DELAY_MS);
    state = { phase: 'waiting', userId, cancel };
    if (code === CLOSE_CODES.SESSION_ENDED) {
      context.onDoubt();
    } else if (isOpen) {
      context.onTrouble();
    } else if (!hasDoubted) {
      hasDoubted = true;
      context.onDoubt();
    }
  }

  session.subscribe(follow);

  return {
    start() {
      isStarted = true;
      follow();
    },
    setVisible(next) {
      isVisible = next;
      if (!isVisible) return;
      if (state.phase === 'replaced') state = { phase: 'none' };
      follow();
      // A device that slept finds out at once whether its socket has outlived that.
      if (state.phase !== 'connected' || !state.connection.isOpen) return;
      if (clock.now() - state.connection.pingedAt >= PING_INTERVAL_MS) ping(state.connection);
    },
  };
}

/** Null for anything that this version does not know. */
function parse(text: string): LiveMessage | null {
  try {
    return liveMessageSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
