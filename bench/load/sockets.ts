import { once } from 'node:events';
import { join } from 'node:path';
import { exitCodeOf, spawnNode } from '#scripts/run/children.ts';

/** What the client process reports. */
export type SocketReport = { type: 'open' } | ({ type: 'measured' } & Deliveries);

/** Messages that came in a second, and how much of its time the client has worked: near 1 it was the limit. */
export type Deliveries = { perSecond: number; busyShare: number };

// Each socket is an open file; Node and Bun raise their limit of these to the one that `ulimit -Hn` prints.
const CLIENT = join(import.meta.dirname, 'socket-client.ts');

function startClient(address: string, sockets: number, seconds: number) {
  const child = spawnNode([CLIENT, address, String(sockets), String(seconds)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = exitCodeOf(child);
  const report = async (): Promise<SocketReport> => {
    const failed = ended.then((code) =>
      Promise.reject(new Error(`The client of the sockets ended: ${code}`)),
    );
    const [message]: SocketReport[] = await Promise.race([once(child, 'message'), failed]);
    if (message === undefined) throw new Error('The client has reported nothing.');
    return message;
  };
  return { child, ended, report };
}

/** Opens so many sockets at a server that publishes what it is asked to, and measures what is delivered to them. */
export async function countDeliveries(
  address: string,
  sockets: number,
  seconds: number,
): Promise<Deliveries> {
  const { ended, report } = startClient(address, sockets, seconds);
  let message = await report();
  while (message.type !== 'measured') message = await report();
  await ended;
  return message;
}

/** Keeps so many sockets open, of as many users, until `work` is done. */
export async function withIdleSockets<Result>(
  address: string,
  sockets: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const { child, ended, report } = startClient(address, sockets, 0);
  try {
    await report();
    return await work();
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}
