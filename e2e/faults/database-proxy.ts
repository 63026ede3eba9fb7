import { connect, createServer, type Socket } from 'node:net';
import { listenLocally } from '#api/testing/servers/local-server.ts';

/**
 * When the connection to the database breaks at a statement that commits a change: before the database receives the
 * statement, or after its execution but before the server receives the result.
 */
export type ConnectionBreak = 'before_commit' | 'after_commit';

export type DatabaseProxy = {
  /** The database's address through the proxy. */
  url: string;
  /**
   * Accepts no new connections and closes all connections to the database. The server is not told: its queries have no effect, as
   * if its process had been killed, and fail after a while or never return.
   */
  abandon(): void;
};

/** A commit, or a statement that casts or changes votes, which runs outside a transaction. */
const COMMITTING = /^\s*commit\b|insert into votes\b|update votes set\b/i;

const TYPE_BYTES = 1;
const LENGTH_BYTES = 4;

/** A message of PostgreSQL's protocol. The first one of a client (StartupMessage) has an empty type. */
type Message = { type: string; body: Buffer };

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
    const readRequests = createMessageReader('client');
    const readResponses = createMessageReader('server');
    const isCommit = createCommitDetector();
    // Statements may be pipelined. Each response ends with ReadyForQuery (Z): the response to the StartupMessage, to each Query
    // (Q), and to the messages before each Sync (S).
    let requested = 1;
    let responded = 0;
    let lostResponse: number | null = null;
    client.on('data', (chunk) => {
      let commitResponse: number | null = null;
      for (const message of readRequests(chunk)) {
        if (isCommit(message)) commitResponse ??= requested + 1;
        if (message.type === 'Q' || message.type === 'S') requested += 1;
      }
      const connectionBreak = commitResponse === null ? null : nextBreak();
      if (connectionBreak === 'before_commit') return breakOff();
      if (connectionBreak === 'after_commit') lostResponse ??= commitResponse;
      if (!isAbandoned) upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      responded += readResponses(chunk).filter(({ type }) => type === 'Z').length;
      if (lostResponse === null) client.write(chunk);
      else if (responded >= lostResponse) breakOff();
    });
  });
  const url = new URL(databaseUrl);
  url.port = String(await listenLocally(server));
  return {
    url: url.href,
    abandon() {
      isAbandoned = true;
      server.close();
      for (const upstream of upstreams) upstream.destroy();
    },
  };
}

/** Returns a function that says whether a message of one client executes a statement that commits a change. */
function createCommitDetector(): (message: Message) => boolean {
  const isCommittingByName = new Map<string, boolean>();
  return ({ type, body }) => {
    if (type === 'Q') return COMMITTING.test(body.toString());
    if (type !== 'P' && type !== 'B') return false;
    const [first = '', second = ''] = body.toString().split('\0', 2);
    // `P` (Parse) has the name and the text of a statement, `B` (Bind) the name of a portal and that of the statement.
    if (type === 'P') isCommittingByName.set(first, COMMITTING.test(second));
    return type === 'B' && isCommittingByName.get(second) === true;
  };
}

/** Returns a function that takes the next chunk of one direction of a connection, and returns the messages that it completes. */
function createMessageReader(sender: 'client' | 'server'): (chunk: Buffer) => Message[] {
  let rest: Buffer = Buffer.alloc(0);
  let isStarted = sender === 'server';
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const messages: Message[] = [];
    for (;;) {
      const lengthAt = isStarted ? TYPE_BYTES : 0;
      if (rest.length < lengthAt + LENGTH_BYTES) return messages;
      // The length of a message includes its own bytes, but not the type.
      const end = lengthAt + rest.readUInt32BE(lengthAt);
      if (rest.length < end) return messages;
      const type = isStarted ? String.fromCharCode(rest[0] ?? 0) : '';
      messages.push({ type, body: rest.subarray(lengthAt + LENGTH_BYTES, end) });
      isStarted = true;
      rest = rest.subarray(end);
    }
  };
}
