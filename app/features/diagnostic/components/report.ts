import type { StorageFacts } from '#app/features/diagnostic/queries.ts';
import { bytesLabel } from '#app/lib/bytes-label.ts';
import type { ConnectionState } from '#sync/client/connection.ts';
import type { OpState } from '#sync/protocol/op.ts';

/** The facts of the report, none of which identifies the user. Undefined means unknown. */
export type Facts = {
  appVersion: string;
  script: string;
  serverVersion: string | undefined;
  connection: ConnectionState;
  isOnline: boolean;
  worker: string | undefined;
  /** Whether the service worker serves this page. */
  isControlled: boolean;
  storage: StorageFacts | undefined;
  queue: readonly OpState[] | undefined;
  browser: string;
  screen: string;
};

/** A section of the report; `lines` maps names to values. */
export type Section = { title: string; lines: Readonly<Record<string, string>> };

const UNKNOWN = 'unknown';

const STATE_NAMES: Record<OpState, string> = {
  queued: 'Waiting to be sent',
  sending: 'Being sent',
  blocked_auth: 'Waiting for a login',
  rejected: 'Refused',
  needs_attention: 'Needs attention',
};

function sizeLabel(bytes: number | null): string {
  return bytes === null ? UNKNOWN : bytesLabel(bytes);
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

function connectionLabel(connection: ConnectionState): string {
  return connection.phase === 'disconnected'
    ? `${connection.phase}, attempt ${connection.attempt}`
    : connection.phase;
}

function storageLines(storage: Facts['storage']): Section['lines'] {
  return {
    Used: sizeLabel(storage?.usedBytes ?? null),
    Quota: sizeLabel(storage?.quotaBytes ?? null),
    Persisted: storage === undefined ? UNKNOWN : yesNo(storage.isPersisted),
  };
}

function queueLines(queue: Facts['queue']): Section['lines'] {
  return Object.fromEntries(
    Object.entries(STATE_NAMES).map(([state, name]) => [
      name,
      queue === undefined ? UNKNOWN : `${queue.filter((opState) => opState === state).length}`,
    ]),
  );
}

export function reportSections(facts: Facts): Section[] {
  return [
    {
      title: 'Build',
      lines: { App: facts.appVersion, Server: facts.serverVersion ?? UNKNOWN, Script: facts.script },
    },
    {
      title: 'Connection',
      lines: {
        Server: connectionLabel(facts.connection),
        'Browser says online': yesNo(facts.isOnline),
      },
    },
    {
      title: 'Service worker',
      lines: { State: facts.worker ?? UNKNOWN, 'Serves this page': yesNo(facts.isControlled) },
    },
    { title: 'Storage', lines: storageLines(facts.storage) },
    { title: 'Queue', lines: queueLines(facts.queue) },
    { title: 'Device', lines: { Screen: facts.screen, Browser: facts.browser } },
  ];
}

export function reportText(sections: readonly Section[], createdAt: Date): string {
  const blocks = sections.map(({ title, lines }) =>
    [title, ...Object.entries(lines).map(([name, value]) => `  ${name}: ${value}`)].join('\n'),
  );
  return [`This or That? ${createdAt.toISOString()}`, ...blocks].join('\n');
}
