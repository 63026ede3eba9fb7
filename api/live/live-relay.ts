import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import type { Database } from '#api/db/client.ts';
import { keyOf, type LiveEvent, liveEventSchema } from './live-events.ts';
import type { LiveHub } from './live-hub.ts';

const CHANNEL = 'live';
/** PostgreSQL takes 8,000 bytes. */
const PAYLOAD_MAX_BYTES = 7_500;
/** Gathers what happens in this time: a notification holds up every commit for a moment. */
const GATHER_MS = 50;
const TRY_AGAIN_MS = 1_000;
/** More than this waits only while the database is away, and it costs freshness alone to forget it. */
const WAITING_MAX = 10_000;

const noteSchema = z.object({ from: z.string(), events: z.array(z.unknown()) });

type RelayOptions = {
  /** Called with each event of another process, before the sockets of this one hear of it. */
  onRemote(event: LiveEvent): void;
  onError(error: unknown): void;
};

/**
 * Brings what is published in one server process to the sockets of all others, by NOTIFY on their common
 * PostgreSQL. Resolves once it listens; the returned function stops it.
 */
export async function startLiveRelay(
  { sql }: Database,
  hub: LiveHub,
  { onRemote, onError }: RelayOptions,
): Promise<() => Promise<void>> {
  const self = randomUUID();
  const waiting = new Map<string, LiveEvent>();
  let timer: NodeJS.Timeout | null = null;
  let sending = Promise.resolve();
  let isStopped = false;

  function schedule(delayMs: number): void {
    timer ??= setTimeout(() => {
      timer = null;
      sending = sending.then(send);
    }, delayMs);
  }

  async function send(): Promise<void> {
    const events = [...waiting.values()];
    waiting.clear();
    try {
      for (const payload of toPayloads(self, events)) await sql`select pg_notify(${CHANNEL}, ${payload})`;
    } catch (error) {
      onError(error);
      if (isStopped || waiting.size > WAITING_MAX) return;
      // Told twice is harmless; what came since is newer.
      for (const event of events) if (!waiting.has(keyOf(event))) waiting.set(keyOf(event), event);
      schedule(TRY_AGAIN_MS);
    }
  }

  function hear(payload: string): void {
    const note = noteSchema.safeParse(parseJson(payload));
    if (!note.success || note.data.from === self) return;
    for (const value of note.data.events) {
      // A process of another version may know other events.
      const event = liveEventSchema.safeParse(value);
      if (!event.success) continue;
      onRemote(event.data);
      hub.receive(event.data);
    }
  }

  hub.relayTo((event) => {
    waiting.set(keyOf(event), event);
    schedule(GATHER_MS);
  });
  // What was missed while the connection was gone: sessions must not be, all else is only less fresh.
  await sql.listen(CHANNEL, hear, () => hub.checkSessions());

  return async () => {
    if (timer !== null) clearTimeout(timer);
    isStopped = true;
    sending = sending.then(send);
    await sending;
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Events as texts that each fit into one notification. */
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
    const length = JSON.stringify(event).length + 1;
    if (bytes + length > PAYLOAD_MAX_BYTES) close();
    batch.push(event);
    bytes += length;
  }
  close();
  return payloads;
}
