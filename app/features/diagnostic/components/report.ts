import type { StorageFacts } from '#app/features/diagnostic/queries.ts';
import type { ConnectionState } from '#sync/client/connection.ts';
import type { OpState } from '#sync/protocol/op.ts';

/** Nothing in it identifies the user. Undefined means not known yet. */
export type Facts = {
  appVersion: string;
  script: string;
  serverVersion: string | undefined;
  connection: ConnectionState;
  isOnline: boolean;
  worker: string | undefined;
  isControlled: boolean;
  storage: StorageFacts | undefined | 'unknown';
  queue: readonly OpState[] | undefined;
  browser: string;
  screen: string;
};

export type Section = { title: string; lines: readonly { name: string; value: string }[] };

const UNKNOWN = 'unknown';
const MEGABYTE = 1_000_000;

const STATE_NAMES: Record<OpState, string> = {
  queued: 'Waiting to be sent',
  sending: 'Being sent',
  blocked_auth: 'Waiting for a login',
  rejected: 'Refused',
  needs_attention: 'Needs attention',
};

function megabytes(bytes: number | null): string {
  return bytes === null ? UNKNOWN : `${(bytes / MEGABYTE).toFixed(1)} MB`;
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

function connectionLabel(connection: ConnectionState): string {
  return connection.phase === 'disconnected'
    ? `${connection.phase}, try ${connection.attempt}`
    : connection.phase;
}

function storageLines(storage: Facts['storage']): Section['lines'] {
  const facts = storage === UNKNOWN ? undefined : storage;
  return [
    { name: 'Used', value: megabytes(facts?.usedBytes ?? null) },
    { name: 'Available', value: megabytes(facts?.quotaBytes ?? null) },
    { name: 'Persisted', value: facts === undefined ? UNKNOWN : yesNo(facts.isPersisted) },
  ];
}

export function reportSections(facts: Facts): Section[] {
  const states = Object.entries(STATE_NAMES).map(([state, name]) => ({
    name,
    value: facts.queue === undefined ? UNKNOWN : `${facts.queue.filter((each) => each === state).length}`,
  }));
  return [
    {
      title: 'Build',
      lines: [
        { name: 'App', value: facts.appVersion },
        { name: 'Server', value: facts.serverVersion ?? UNKNOWN },
        { name: 'Script', value: facts.script },
      ],
    },
    {
      title: 'Connection',
      lines: [
        { name: 'Server', value: connectionLabel(facts.connection) },
        { name: 'Browser says online', value: yesNo(facts.isOnline) },
      ],
    },
    {
      title: 'Service worker',
      lines: [
        { name: 'State', value: facts.worker ?? UNKNOWN },
        { name: 'Serves this page', value: yesNo(facts.isControlled) },
      ],
    },
    { title: 'Storage', lines: storageLines(facts.storage) },
    { title: 'Queue', lines: states },
    {
      title: 'Device',
      lines: [
        { name: 'Screen', value: facts.screen },
        { name: 'Browser', value: facts.browser },
      ],
    },
  ];
}

export function reportText(sections: readonly Section[], at: Date): string {
  const blocks = sections.map(({ title, lines }) =>
    [title, ...lines.map(({ name, value }) => `  ${name}: ${value}`)].join('\n'),
  );
  return [`This or That? ${at.toISOString()}`, ...blocks].join('\n');
}
