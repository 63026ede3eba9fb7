import { type Database, openPostgres } from '#api/db/client.ts';
import { withTimeout } from '#api/db/with-timeout.ts';

const CHECK_INTERVAL_MS = 5_000;
const HEARTBEAT_TIMEOUT_MS = 5_000;

/** Reported once: the app works, but without live updates from other processes. */
const HEARTBEAT_MISSING =
  'The process does not receive its own notifications: a connection pooler in transaction mode needs DATABASE_DIRECT_URL';

export type ListenOptions = {
  channel: string;
  /** Sends a notification for which `receive` returns true. */
  sendHeartbeat(): Promise<unknown>;
  /** Handles a notification, and returns whether this process sent it. */
  receive(payload: string): boolean;
  /** Called when listening resumes after an interruption, during which notifications may have been missed. */
  onResumed(): void;
  onError(error: unknown): void;
  checkIntervalMs?: number;
  heartbeatTimeoutMs?: number;
};

class HeartbeatTimeoutError extends Error {}

/**
 * Listens to `channel` on a dedicated connection to the primary server. The driver reconnects when the connection is lost, but
 * does not notice every failure (a standby rejects LISTEN, a dead network is silent). So the process sends itself a heartbeat
 * every few seconds and opens a new connection when a heartbeat does not arrive. If none has ever arrived, a new connection
 * would not help, and this is only reported. Resolves once it listens; the returned function stops listening.
 */
export async function listenTo(
  directUrl: string,
  { channel, sendHeartbeat, receive, onResumed, onError, ...options }: ListenOptions,
): Promise<() => Promise<void>> {
  const { checkIntervalMs = CHECK_INTERVAL_MS, heartbeatTimeoutMs = HEARTBEAT_TIMEOUT_MS } = options;
  const heartbeatTimeout = () => new HeartbeatTimeoutError(`Timed out after ${heartbeatTimeoutMs} ms.`);
  let hasReceivedHeartbeat = false;
  let isReported = false;
  let isHeartbeatPending = false;
  /** Whether the connection was replaced after the last heartbeat that could be sent: another one would not help, either. */
  let isReplacement = false;
  let client: Database | null = null;

  async function start(): Promise<void> {
    const opened = openPostgres(directUrl, { connections: 1 });
    client = opened;
    // Once a heartbeat has arrived, `start` runs only to replace a connection on which a heartbeat did not arrive.
    let isResuming = hasReceivedHeartbeat;
    const onListening = () => {
      if (client !== opened) return;
      isHeartbeatPending = false;
      if (isResuming) onResumed();
      // Any further call means that the driver has reconnected.
      isResuming = true;
    };
    const onNotification = (payload: string) => {
      if (client !== opened || !receive(payload)) return;
      hasReceivedHeartbeat = true;
      isHeartbeatPending = false;
    };
    await opened.sql.listen(channel, onNotification, onListening);
  }

  async function check(): Promise<void> {
    const isHeartbeatMissing = isHeartbeatPending;
    if (isHeartbeatMissing && !hasReceivedHeartbeat && !isReported) {
      isReported = true;
      onError(new Error(HEARTBEAT_MISSING));
    }
    isHeartbeatPending = false;
    try {
      if (isHeartbeatMissing && hasReceivedHeartbeat && !isReplacement) {
        isReplacement = true;
        await client?.close();
        await start();
      }
      isHeartbeatPending = true;
      await withTimeout(heartbeatTimeoutMs, sendHeartbeat(), heartbeatTimeout);
      isReplacement = false;
    } catch (error) {
      // After a timeout, the heartbeat remains pending: the listening connection may be as dead as the one that sends, so the next
      // check replaces it.
      if (!(error instanceof HeartbeatTimeoutError && hasReceivedHeartbeat)) isHeartbeatPending = false;
      onError(error);
    }
  }

  await start();
  let checking: Promise<void> | null = null;
  const timer = setInterval(() => {
    checking ??= check().finally(() => {
      checking = null;
    });
  }, checkIntervalMs);

  return async () => {
    clearInterval(timer);
    await checking;
    await client?.close();
  };
}
