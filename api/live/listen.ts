import { type Database, openPostgres } from '#api/db/client.ts';

const CHECK_INTERVAL_MS = 5_000;

/** Where it happens, nothing is lost but freshness: it is told once, and the app works. */
const UNHEARD =
  'The process does not hear its own notifications: a connection pooler in transaction mode needs DATABASE_DIRECT_URL';

type ListenOptions = {
  channel: string;
  /** Sends a notification that `isOwn` recognises. */
  notify(): Promise<unknown>;
  /** Handles a notification; true for one of this process. */
  receive(payload: string): boolean;
  /** Called when it listens again: notifications may have been missed. */
  onResumed(): void;
  onError(error: unknown): void;
  checkIntervalMs?: number;
};

/**
 * Listens on a connection of its own, to the primary server. The driver connects again when that is lost, but not everything
 * shows (a standby refuses LISTEN, a dead network says nothing): this process sends itself a notification every few seconds,
 * and starts anew when it does not hear it. Resolves once it listens; the returned function stops it.
 */
export async function listenTo(
  directUrl: string,
  { channel, notify, receive, onResumed, onError, checkIntervalMs = CHECK_INTERVAL_MS }: ListenOptions,
): Promise<() => Promise<void>> {
  let hasHeard = false;
  let isTold = false;
  let isAwaited = false;
  let client: Database | null = null;
  let isChecking = false;

  async function start(): Promise<void> {
    const opened = openPostgres(directUrl, { connections: 1 });
    client = opened;
    let isFirst = !hasHeard;
    const onListening = () => {
      if (client !== opened) return;
      isAwaited = false;
      if (!isFirst) onResumed();
      isFirst = false;
    };
    const onNotification = (payload: string) => {
      if (client !== opened || !receive(payload)) return;
      hasHeard = true;
      isAwaited = false;
    };
    await opened.sql.listen(channel, onNotification, onListening);
  }

  async function check(): Promise<void> {
    const isUnheard = isAwaited;
    if (isUnheard && !hasHeard && !isTold) {
      isTold = true;
      onError(new Error(UNHEARD));
    }
    isChecking = true;
    isAwaited = false;
    try {
      if (isUnheard && hasHeard) {
        await client?.close();
        await start();
      }
      isAwaited = true;
      await notify();
    } catch (error) {
      isAwaited = false;
      onError(error);
    } finally {
      isChecking = false;
    }
  }

  await start();
  let checking = Promise.resolve();
  const timer = setInterval(() => {
    if (!isChecking) checking = check();
  }, checkIntervalMs);

  return async () => {
    clearInterval(timer);
    await checking;
    await client?.close();
  };
}
