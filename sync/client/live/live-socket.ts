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

/** The connection counts as lost if a socket has not opened, or a ping has no pong, after this time. */
const RESPONSE_TIMEOUT_MS = 10_000;
/** The close code (RFC 6455) of a connection that ended without a close message. */
const ABNORMAL_CLOSURE = 1006;

/** A message from the server about a change. */
export type LiveUpdate = Exclude<LiveMessage, Pong>;

export type LiveSocketContext = Pick<Capabilities, 'clock' | 'openSocket'> & {
  session: Observable<Session>;
  /** Called when a socket opens. `isReconnect` is false only the first time. */
  onOpen(isReconnect: boolean): void;
  onUpdate(update: LiveUpdate): void;
  /** Called with the server's time in a pong and the round-trip time. */
  onServerTime(serverMs: number, roundTripMs: number): void;
  /** Called when an open socket was lost, but not when an attempt to reconnect failed. */
  onConnectionLost(): void;
  /**
   * Called when the session may have ended: the server has closed the socket for that reason, or a socket could not be opened
   * (only after the first of several failures).
   */
  onSessionDoubt(): void;
};

/** The socket of a tab. */
export type LiveSocket = {
  /** Starts to keep a socket open while a user is logged in. */
  start(): void;
  /** Sets whether the page is visible. Sockets are opened only while it is visible, but not closed when it is hidden. */
  setVisible(isVisible: boolean): void;
};

type Connection = {
  userId: number;
  socket: Socket;
  isOpen: boolean;
  /** When the socket was opened or pinged last, in milliseconds since 1970. */
  pingedAt: number;
  timers: Map<string, () => void>;
};

/**
 * - `none`: nobody is logged in, or the page has not been visible since the login
 * - `connected`: a socket is open or opening
 * - `waiting`: a reconnect is scheduled
 * - `replaced`: the server has closed the socket because the user has opened too many newer sockets; reconnects when the page
 *   becomes visible
 */
type State =
  | { phase: 'none' }
  | { phase: 'connected'; connection: Connection }
  | { phase: 'waiting'; userId: number; cancel(): void }
  | { phase: 'replaced'; userId: number };

/** Creates the socket of a tab. It is opened once the page is visible and a user is logged in, and reopened after a loss. */
export function createLiveSocket(context: LiveSocketContext): LiveSocket {
  const { clock, session } = context;
  let state: State = { phase: 'none' };
  let isStarted = false;
  let isVisible = false;
  let hasBeenOpen = false;
  let hasReportedDoubt = false;

  /** The id of the user for whom a socket should be open; null if there should be none. */
  function expectedUserId(): number | null {
    const current = session.get();
    return isStarted && current.status === 'user' && !current.needsLogin ? current.user.id : null;
  }

  /** The id of the user of the current socket; null if there is none. */
  function currentUserId(): number | null {
    if (state.phase === 'none') return null;
    return state.phase === 'connected' ? state.connection.userId : state.userId;
  }

  function openOrClose(): void {
    const userId = expectedUserId();
    if (currentUserId() !== null && currentUserId() !== userId) disconnect();
    if (state.phase === 'none' && userId !== null && isVisible) openSocket(userId);
  }

  function disconnect(): void {
    const previous = state;
    state = { phase: 'none' };
    hasReportedDoubt = false;
    if (previous.phase === 'waiting') previous.cancel();
    if (previous.phase === 'connected') release(previous.connection);
  }

  function release({ socket, timers }: Connection): void {
    for (const cancel of timers.values()) cancel();
    socket.close();
  }

  function openSocket(userId: number): void {
    const isCurrent = () => state.phase === 'connected' && state.connection === connection;
    const socket = context.openSocket(`${LIVE_PATH}?${LIVE_USER_QUERY_PARAM}=${userId}`, {
      opened: () => isCurrent() && opened(connection),
      received: (text) => isCurrent() && receive(connection, text),
      closed: (code) => isCurrent() && closed(connection, code),
    });
    const connection: Connection = { userId, socket, isOpen: false, pingedAt: 0, timers: new Map() };
    state = { phase: 'connected', connection };
    setTimer(connection, 'response', RESPONSE_TIMEOUT_MS, () => closed(connection, ABNORMAL_CLOSURE));
  }

  function setTimer(connection: Connection, name: string, delayMs: number, run: () => void): void {
    connection.timers.get(name)?.();
    connection.timers.set(name, clock.setTimeout(run, delayMs));
  }

  function opened(connection: Connection): void {
    connection.isOpen = true;
    connection.pingedAt = clock.now();
    connection.timers.get('response')?.();
    setTimer(connection, 'ping', PING_INTERVAL_MS, () => ping(connection));
    const isReconnect = hasBeenOpen;
    hasBeenOpen = true;
    hasReportedDoubt = false;
    context.onOpen(isReconnect);
  }

  function ping(connection: Connection): void {
    connection.pingedAt = clock.now();
    connection.socket.send(JSON.stringify({ type: 'ping', timestamp: connection.pingedAt } satisfies Ping));
    setTimer(connection, 'response', RESPONSE_TIMEOUT_MS, () => closed(connection, ABNORMAL_CLOSURE));
    setTimer(connection, 'ping', PING_INTERVAL_MS, () => ping(connection));
  }

  function receive(connection: Connection, text: string): void {
    const message = parse(text);
    if (message === null) return;
    if (message.type !== 'pong') {
      context.onUpdate(message);
      return;
    }
    connection.timers.get('response')?.();
    const roundTripMs = clock.now() - connection.pingedAt;
    const isForLatestPing = message.timestamp === connection.pingedAt && roundTripMs >= 0;
    if (isForLatestPing) context.onServerTime(message.serverTime, roundTripMs);
  }

  function closed(connection: Connection, code: number): void {
    const { userId, isOpen } = connection;
    const isReplaced = code === SOCKET_CLOSE_CODES.REPLACED;
    // Set before the socket is released, so that its further events are ignored.
    state = isReplaced
      ? { phase: 'replaced', userId }
      : { phase: 'waiting', userId, cancel: clock.setTimeout(reconnect, RECONNECT_DELAY_MS) };
    release(connection);
    if (isReplaced) return;
    if (code === SOCKET_CLOSE_CODES.SESSION_ENDED) {
      context.onSessionDoubt();
    } else if (isOpen) {
      context.onConnectionLost();
    } else if (!hasReportedDoubt) {
      hasReportedDoubt = true;
      context.onSessionDoubt();
    }
  }

  function reconnect(): void {
    state = { phase: 'none' };
    openOrClose();
  }

  session.subscribe(openOrClose);

  return {
    start() {
      isStarted = true;
      openOrClose();
    },
    setVisible(next) {
      isVisible = next;
      if (!isVisible) return;
      if (state.phase === 'replaced') state = { phase: 'none' };
      openOrClose();
      // After a sleep of the device, checks at once whether the connection still exists.
      if (state.phase !== 'connected' || !state.connection.isOpen) return;
      if (clock.now() - state.connection.pingedAt >= PING_INTERVAL_MS) ping(state.connection);
    },
  };
}

/** Parses a message; null if this version does not know it. */
function parse(text: string): LiveMessage | null {
  try {
    return liveMessageSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
