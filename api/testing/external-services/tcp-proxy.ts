import { connect, createServer, type Socket } from 'node:net';
import { listenLocally } from '#api/testing/servers/local-server.ts';

/** Starts a TCP proxy in front of a database, like HAProxy in front of a primary and its standby. */
export async function startTcpProxy(databaseUrl: string) {
  let target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [source, destination] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(source);
      source.pipe(destination);
      source.on('error', () => destination.destroy());
      source.on('close', () => destination.destroy());
    }
  });
  const url = new URL(databaseUrl);
  url.port = String(await listenLocally(server));
  return {
    url: url.href,
    /** Directs new connections to another database. */
    setTarget(targetUrl: string): void {
      target = new URL(targetUrl);
    },
    /** Stops forwarding data on the open connections, without closing them. */
    stopForwarding(): void {
      for (const socket of sockets) socket.unpipe();
    },
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
