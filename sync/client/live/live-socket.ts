import {
  LIVE_PATH,
  LIVE_USER_QUERY_PARAM,
  PING_INTERVAL_MS,
  RECONNECT_DELAY_MS,
  SOCKET_CLOSE_CODES,
} from '#shared/live/constants.ts';
import { type LiveMessage, liveMessageSchema, type Ping, type Pong } from '#shared/live/schema.ts';
import type { Capabilities, Socket } from '#sync/client/capabilities.ts';
import type { Observable } from '#sync/client/observable.ts';
import type { Session } from '#sync/client/session/session-context.ts';

/** A socket that has not opened, or a ping without a pong, by then means a lost connection. */
const ANSWER_TIMEOUT_MS = 10_000;
const ABNORMAL_CLOSURE = 1006;

export type LiveUpdate = Exclude<LiveMessage, Pong>;

export type LiveSocketContext = Pick<Capabilities, 'clock' | 'openSocket'> & {
  session: Observable<Session>;
  /** Called when the socket opens; `isReconnect` except for the first time. */
  onOpen(isReconnect: boolean): void;
  onUpdate(update: LiveUpdate): void;
  /** The server's time in a pong, with the round-trip time. */
  onServerTime(serverMs: number, roundTripMs: number): void;
  /** An open socket was lost. Not called for failed attempts to reconnect. */
  onConnectionLost(): void;
  /** The session may have ended: the server said so, or the first attempt to open a socket failed. */
  onSessionDoubt(): void;
};

/** The socket of a tab. */
export type LiveSocket = {
  /** Opens a socket whenever somebody is logged in, from now on. */
  start(): void;
  /** Sockets are opened only while the page is visible; an open one stays. */
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
 * - `none`: nobody is logged in, or the page is hidden
 * - `connected`: a socket is open or opening
 * - `waiting`: a reconnect is scheduled
 * - `replaced`: the server has closed it in favour of newer ones of this user; reconnects when the page becomes visible
 */
type State =
  | { phase: 'none' }
  | { phase: 'connected'; connection: Connection }
  | { phase: 'waiting'; userId: number; cancel(): void }
  | { phase: 'replaced'; userId: number };

/** The socket of a tab: open while the page is visible and somebody is logged in, and opened again when it is lost. */
export function createLiveSocket(context: LiveSocketContext): LiveSocket {
  const { clock, session } = context;
  let state: State = { phase: 'none' };
  let isStarted = false;
  let isVisible = false;
  let hasBeenOpen = false;
  let hasReportedDoubt = false;

  /** The user who should have a socket. */
  function wantedUser(): number | null {
    const current = session.get();
    return isStarted && current.status === 'user' && !current.needsLogin ? current.user.id : null;
  }

  function userOf(): number | null {
    if (state.phase === 'none') return null;
    return state.phase === 'connected' ? state.connection.userId : state.userId;
  }

  function update(): void {
    const userId = wantedUser();
    if (userOf() !== null && userOf() !== userId) disconnect();
    if (state.phase === 'none' && userId !== null && isVisible) open(userId);
  }

  function disconnect(): void {
    const left = state;
    state = { phase: 'none' };
    hasReportedDoubt = false;
    if (left.phase === 'waiting') left.cancel();
    if (left.phase === 'connected') release(left.connection);
  }

  function release({ socket, timers }: Connection): void {
    for (const cancel of timers.values()) cancel();
    socket.close();
  }

  function open(userId: number): void {
    const isCurrent = () => state.phase === 'connected' && state.connection === connection;
    const socket = context.openSocket(`${LIVE_PATH}?${LIVE_USER_QUERY_PARAM}=${userId}`, {
      opened: () => isCurrent() && opened(connection),
      heard: (text) => isCurrent() && receive(connection, text),
      closed: (code) => isCurrent() && closed(connection, code),
    });
    const connection: Connection = { userId, socket, isOpen: false, pingedAt: 0, timers: new Map() };
    state = { phase: 'connected', connection };
    setTimer(connection, 'answer', ANSWER_TIMEOUT_MS, () => closed(connection, ABNORMAL_CLOSURE));
  }

  function setTimer(connection: Connection, name: string, delayMs: number, run: () => void): void {
    connection.timers.get(name)?.();
    connection.timers.set(name, clock.setTimeout(run, delayMs));
  }

  function opened(connection: Connection): void {
    connection.isOpen = true;
    connection.pingedAt = clock.now();
    connection.timers.get('answer')?.();
    setTimer(connection, 'ping', PING_INTERVAL_MS, () => ping(connection));
    const isReconnect = hasBeenOpen;
    hasBeenOpen = true;
    hasReportedDoubt = false;
    context.onOpen(isReconnect);
  }

  function ping(connection: Connection): void {
    connection.pingedAt = clock.now();
    connection.socket.send(JSON.stringify({ type: 'ping', timestamp: connection.pingedAt } satisfies Ping));
    setTimer(connection, 'answer', ANSWER_TIMEOUT_MS, () => closed(connection, ABNORMAL_CLOSURE));
    setTimer(connection, 'ping', PING_INTERVAL_MS, () => ping(connection));
  }

  function receive(connection: Connection, text: string): void {
    const message = parse(text);
    if (message === null) return;
    if (message.type !== 'pong') {
      context.onUpdate(message);
      return;
    }
    connection.timers.get('answer')?.();
    const roundTripMs = clock.now() - connection.pingedAt;
    const isOfThisPing = message.timestamp === connection.pingedAt && roundTripMs >= 0;
    if (isOfThisPing) context.onServerTime(message.serverTime, roundTripMs);
  }

  function closed(connection: Connection, code: number): void {
    const { userId, isOpen } = connection;
    // Ignores later events of this socket.
    state = { phase: 'replaced', userId };
    release(connection);
    if (code === SOCKET_CLOSE_CODES.REPLACED) return;
    const cancel = clock.setTimeout(() => {
      state = { phase: 'none' };
      update();
    }, RECONNECT_DELAY_MS);
    state = { phase: 'waiting', userId, cancel };
    if (code === SOCKET_CLOSE_CODES.SESSION_ENDED) {
      context.onSessionDoubt();
    } else if (isOpen) {
      context.onConnectionLost();
    } else if (!hasReportedDoubt) {
      hasReportedDoubt = true;
      context.onSessionDoubt();
    }
  }

  session.subscribe(update);

  return {
    start() {
      isStarted = true;
      update();
    },
    setVisible(next) {
      isVisible = next;
      if (!isVisible) return;
      if (state.phase === 'replaced') state = { phase: 'none' };
      update();
      // After sleep, checks at once whether the socket is still alive.
      if (state.phase !== 'connected' || !state.connection.isOpen) return;
      if (clock.now() - state.connection.pingedAt >= PING_INTERVAL_MS) ping(state.connection);
    },
  };
}

/** Null for messages unknown to this version. */
function parse(text: string): LiveMessage | null {
  try {
    return liveMessageSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
