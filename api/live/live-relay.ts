import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import type { Database } from '#api/db/client.ts';
import type { ListenOptions } from './listen.ts';
import { keyOf, type LiveEvent, liveEventSchema } from './live-events.ts';
import type { LiveHub } from './live-hub.ts';

const CHANNEL = 'live';
/** The maximum size of the events in a payload. PostgreSQL allows 8,000 bytes for the whole payload. */
const EVENTS_MAX_BYTES = 7_500;
/** Events within this time are sent together, since commits with a NOTIFY wait for each other. */
const BATCH_DELAY_MS = 50;
const RETRY_DELAY_MS = 1_000;
/** Exceeded only while the database is unreachable. Events that cannot be sent are then dropped: clients see changes later. */
export const QUEUE_MAX = 10_000;

const messageSchema = z.object({ from: z.string(), events: z.array(z.unknown()) });

type RelayOptions = {
  /** Called with each event of another process before it is sent to the sockets of this process. */
  onRemote(event: LiveEvent): void;
  onError(error: unknown): void;
};

/**
 * Relays events between the server processes on one PostgreSQL, with NOTIFY. `listen` is `listenTo` for this PostgreSQL. Resolves
 * once it listens; the returned function stops it.
 */
export async function startLiveRelay(
  { sql, listen }: Pick<Database, 'sql'> & { listen(options: ListenOptions): Promise<() => Promise<void>> },
  hub: LiveHub,
  { onRemote, onError }: RelayOptions,
): Promise<() => Promise<void>> {
  const processId = randomUUID();
  const queued = new Map<string, LiveEvent>();
  let timer: NodeJS.Timeout | null = null;
  let sending = Promise.resolve();
  let isStopped = false;

  /**
   * Adds an event as the newest one, unless a later revision is queued: events may be published in another order than committed.
   */
  function enqueue(event: LiveEvent): void {
    const key = keyOf(event);
    const earlier = queued.get(key);
    if (earlier && 'rev' in earlier && 'rev' in event && earlier.rev > event.rev) return;
    queued.delete(key);
    queued.set(key, event);
  }

  function schedule(delayMs: number): void {
    timer ??= setTimeout(() => {
      timer = null;
      sending = sending.then(send);
    }, delayMs);
  }

  async function notify(payloads: string[]): Promise<void> {
    const list = JSON.stringify(payloads);
    await sql`select pg_notify(${CHANNEL}, payload) from json_array_elements_text(${list}) payload`;
  }

  async function send(): Promise<void> {
    const events = [...queued.values()];
    queued.clear();
    try {
      await notify(toPayloads(processId, events));
    } catch (error) {
      onError(error);
      if (isStopped || events.length + queued.size > QUEUE_MAX) return;
      // Repeated events are harmless. Those that were queued in the meantime are newer.
      const newer = [...queued.values()];
      queued.clear();
      for (const event of [...events, ...newer]) enqueue(event);
      schedule(RETRY_DELAY_MS);
    }
  }

  /** Handles the events in a message of another process. Returns whether the message is one of this process. */
  function receive(payload: string): boolean {
    const message = messageSchema.safeParse(parseJson(payload));
    if (!message.success) return false;
    if (message.data.from === processId) return true;
    for (const value of message.data.events) {
      // A process of another version may send other events.
      const event = liveEventSchema.safeParse(value);
      if (!event.success) continue;
      onRemote(event.data);
      hub.receive(event.data);
    }
    return false;
  }

  hub.relayTo((event) => {
    enqueue(event);
    schedule(BATCH_DELAY_MS);
  });
  const stopListening = await listen({
    channel: CHANNEL,
    sendHeartbeat: () => notify([JSON.stringify({ from: processId, events: [] })]),
    receive,
    onResumed: hub.resync,
    onError,
  });

  return async () => {
    if (timer !== null) clearTimeout(timer);
    isStopped = true;
    sending = sending.then(send);
    await sending;
    await stopListening();
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function toPayloads(from: string, events: readonly LiveEvent[]): string[] {
  const payloads: string[] = [];
  let batch: LiveEvent[] = [];
  let bytes = 0;
  const close = () => {
    if (batch.length > 0) payloads.push(JSON.stringify({ from, events: batch }));
    batch = [];
    bytes = 0;
  };
  for (const event of events) {
    // With the comma that follows it.
    const eventBytes = Buffer.byteLength(JSON.stringify(event)) + 1;
    if (bytes + eventBytes > EVENTS_MAX_BYTES) close();
    batch.push(event);
    bytes += eventBytes;
  }
  close();
  return payloads;
}
