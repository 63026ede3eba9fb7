import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

/**
 * When the connection to the database breaks at a statement that commits a change: before the database receives the
 * statement, or after its execution but before the server receives the result.
 */
export type ConnectionBreak = 'before_commit' | 'after_commit';

export type DatabaseProxy = {
  /** The database's address through the proxy. */
  url: string;
  /**
   * Accepts no new connections and closes all connections to the database. The server does not detect this: its queries never
   * return, as if its process had been killed.
   */
  abandon(): void;
};

/** A commit, or a statement that casts or changes votes, which runs outside a transaction. */
const COMMITTING = /^\s*commit\b|insert into votes\b|update votes set\b/i;

const TYPE_BYTES = 1;
const LENGTH_BYTES = 4;
/** `ReadyForQuery`, with which every response of PostgreSQL ends, without its last byte, the transaction's status. */
const READY = Buffer.from('Z\0\0\0\x05', 'latin1');

/** A proxy in front of PostgreSQL. `nextBreak` is called at each statement that commits a change. */
export async function startDatabaseProxy(
  databaseUrl: string,
  nextBreak: () => ConnectionBreak | null,
): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const upstreams = new Set<Socket>();
  let isAbandoned = false;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const breakOff = () => {
      upstreams.delete(upstream);
      upstream.destroy();
      if (isAbandoned) client.unref();
      else client.destroy();
    };
    upstreams.add(upstream);
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      socket.on('error', breakOff);
      socket.on('close', breakOff);
    }
    const hasCommit = createCommitDetector();
    let isResponseLost = false;
    client.on('data', (chunk) => {
      const connectionBreak = hasCommit(chunk) ? nextBreak() : null;
      if (connectionBreak === 'before_commit') return breakOff();
      if (connectionBreak === 'after_commit') isResponseLost = true;
      if (!isAbandoned) upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (!isResponseLost) client.write(chunk);
      else if (chunk.subarray(-READY.length - 1, -1).equals(READY)) breakOff();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    abandon() {
      isAbandoned = true;
      server.close();
      for (const upstream of upstreams) upstream.destroy();
    },
  };
}

/** Parses the protocol messages of one connection. The result says whether a chunk has a statement that commits a change. */
function createCommitDetector(): (chunk: Buffer) => boolean {
  const isCommittingByName = new Map<string, boolean>();
  let rest: Buffer = Buffer.alloc(0);
  let isStarted = false;

  function isCommit(type: string, body: Buffer): boolean {
    if (type === 'Q') return COMMITTING.test(body.toString());
    if (type !== 'P' && type !== 'B') return false;
    const [first = '', second = ''] = body.toString().split('\0', 2);
    // `P` (Parse) has the name and the text of a statement, `B` (Bind) the name of a portal and that of the statement.
    if (type === 'P') isCommittingByName.set(first, COMMITTING.test(second));
    return type === 'B' && isCommittingByName.get(second) === true;
  }

  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    let isFound = false;
    for (;;) {
      // The first message (StartupMessage) has no type.
      const head = isStarted ? TYPE_BYTES : 0;
      if (rest.length < head + LENGTH_BYTES) return isFound;
      const end = head + rest.readUInt32BE(head);
      if (rest.length < end) return isFound;
      const type = isStarted ? String.fromCharCode(rest[0] ?? 0) : '';
      if (isCommit(type, rest.subarray(head + LENGTH_BYTES, end))) isFound = true;
      isStarted = true;
      rest = rest.subarray(end);
    }
  };
}
