import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy in front of the server that can refuse connections and drop responses; it also forwards WebSockets. */
export type TcpProxy = {
  address: string;
  /** Sets the server that it forwards to. */
  forwardTo(server: string): void;
  /** Closes all connections and refuses new ones, as if the server were down. */
  disconnect(): Promise<void>;
  /** Listens again on the same port. */
  reconnect(): Promise<void>;
  /** For each pattern, drops the server's response to the next request whose request line matches. */
  dropResponsesTo(...patterns: readonly RegExp[]): void;
  /** The number of responses that are still to be dropped. */
  countResponsesToDrop(): number;
};

/** Opens a proxy on a free port. */
export async function openTcpProxy(): Promise<TcpProxy> {
  const clients = new Set<Socket>();
  let serverPort = 0;
  let patternsToDrop: readonly RegExp[] = [];

  const listener = createServer((client) => {
    const server = connect(serverPort, '127.0.0.1');
    let isDropping = false;
    const end = () => {
      clients.delete(client);
      client.destroy();
      server.destroy();
    };
    clients.add(client);
    for (const socket of [client, server]) socket.on('error', end).on('close', end);
    client.on('data', (bytes) => {
      const line = bytes.subarray(0, Math.max(0, bytes.indexOf('\r\n'))).toString('latin1');
      const match = patternsToDrop.find((pattern) => pattern.test(line));
      if (match !== undefined) {
        isDropping = true;
        patternsToDrop = patternsToDrop.filter((pattern) => pattern !== match);
      }
      server.write(bytes);
    });
    server.on('data', (bytes) => {
      if (isDropping) end();
      else client.write(bytes);
    });
  });

  async function listen(port: number): Promise<void> {
    listener.listen(port, '127.0.0.1');
    await once(listener, 'listening');
  }

  await listen(0);
  const { port } = listener.address() as AddressInfo;
  return {
    address: `http://localhost:${port}`,
    forwardTo(server) {
      serverPort = Number(new URL(server).port);
    },
    async disconnect() {
      const closed = once(listener, 'close');
      listener.close();
      for (const client of clients) client.destroy();
      await closed;
    },
    reconnect: () => listen(port),
    dropResponsesTo(...patterns) {
      patternsToDrop = patterns;
    },
    countResponsesToDrop: () => patternsToDrop.length,
  };
}
