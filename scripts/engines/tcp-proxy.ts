import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy in front of the server: web sockets get through, connections can be refused and responses lost. */
export type TcpProxy = {
  address: string;
  /** Sets the server that it forwards to. */
  forwardTo(server: string): void;
  /** Ends all connections and refuses new ones, as a machine does whose server is gone. */
  disconnect(): Promise<void>;
  /** Listens again at the same port. */
  reconnect(): Promise<void>;
  /** For each pattern, the response to the next request whose first line matches is lost after the server gave it. */
  loseResponsesTo(...patterns: readonly RegExp[]): void;
  /** How many responses are still to be lost. */
  countResponsesToLose(): number;
};

/** Opens one at a free port. */
export async function openTcpProxy(): Promise<TcpProxy> {
  const clients = new Set<Socket>();
  let serverPort = 0;
  let toLose: readonly RegExp[] = [];

  const listener = createServer((client) => {
    const server = connect(serverPort, '127.0.0.1');
    let isLosing = false;
    const end = () => {
      clients.delete(client);
      client.destroy();
      server.destroy();
    };
    clients.add(client);
    for (const socket of [client, server]) socket.on('error', end).on('close', end);
    client.on('data', (bytes) => {
      const line = bytes.subarray(0, Math.max(0, bytes.indexOf('\r\n'))).toString('latin1');
      const match = toLose.find((pattern) => pattern.test(line));
      if (match !== undefined) {
        isLosing = true;
        toLose = toLose.filter((pattern) => pattern !== match);
      }
      server.write(bytes);
    });
    server.on('data', (bytes) => {
      if (isLosing) end();
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
    loseResponsesTo(...patterns) {
      toLose = patterns;
    },
    countResponsesToLose: () => toLose.length,
  };
}
