import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

/**
 * Where the connection to the database breaks around a statement that takes effect: before the database has seen it,
 * or after it has been done and before its answer is read.
 */
export type Cut = 'before_commit' | 'after_commit';

export type DatabaseProxy = {
  /** The database's address through the proxy. */
  url: string;
  /**
   * Takes no new connections, and the database sees the end of all there are. Whoever holds the other end hears nothing
   * of it and waits for ever, as the code of a killed process does.
   */
  abandon(): void;
};

/** What takes effect by itself, and what makes a transaction take effect. */
const EFFECT = /^\s*commit\b|insert into votes\b|update votes set\b/i;

const TYPE_BYTES = 1;
const LENGTH_BYTES = 4;
/** The end of every answer of PostgreSQL: it waits for the next statement. Its last byte is a state. */
const READY = Buffer.from('Z\0\0\0\x05', 'latin1');

/** A proxy in front of PostgreSQL. `takeCut` is asked at each statement that takes effect. */
export async function startDatabaseProxy(
  databaseUrl: string,
  takeCut: () => Cut | null,
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
    const findEffect = effectFinder();
    let isAnswerLost = false;
    client.on('data', (chunk) => {
      const cut = findEffect(chunk) ? takeCut() : null;
      if (cut === 'before_commit') return breakOff();
      if (cut === 'after_commit') isAnswerLost = true;
      if (!isAbandoned) upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (!isAnswerLost) client.write(chunk);
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

/** Follows the messages of one connection; tells of each chunk whether a statement in it takes effect. */
function effectFinder(): (chunk: Buffer) => boolean {
  const effects = new Map<string, boolean>();
  let rest: Buffer = Buffer.alloc(0);
  let isStarted = false;

  function isEffect(type: string, body: Buffer): boolean {
    if (type === 'Q') return EFFECT.test(body.toString());
    if (type !== 'P' && type !== 'B') return false;
    const [first = '', second = ''] = body.toString().split('\0', 2);
    // `P` names a statement and gives its text, `B` runs it: a portal's name, then the statement's.
    if (type === 'P') effects.set(first, EFFECT.test(second));
    return type === 'B' && effects.get(second) === true;
  }

  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    let isFound = false;
    for (;;) {
      // The first message, which says who connects, has no type.
      const head = isStarted ? TYPE_BYTES : 0;
      if (rest.length < head + LENGTH_BYTES) return isFound;
      const end = head + rest.readUInt32BE(head);
      if (rest.length < end) return isFound;
      const type = isStarted ? String.fromCharCode(rest[0] ?? 0) : '';
      if (isEffect(type, rest.subarray(head + LENGTH_BYTES, end))) isFound = true;
      isStarted = true;
      rest = rest.subarray(end);
    }
  };
}
