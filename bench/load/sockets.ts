import { once } from 'node:events';
import { join } from 'node:path';
import { exitCodeOf, spawnNode } from '#scripts/run/children.ts';

/** A message from the client process. */
export type SocketReport = { type: 'open' } | ({ type: 'measured' } & Deliveries);

/** Messages delivered per second, and the share of the time in which the client was busy: near 1 it was the bottleneck. */
export type Deliveries = { perSecond: number; busyShare: number };

const CLIENT = join(import.meta.dirname, 'socket-client.ts');

function startClient(address: string, sockets: number, seconds: number) {
  const child = spawnNode([CLIENT, address, String(sockets), String(seconds)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = exitCodeOf(child);
  const report = async (): Promise<SocketReport> => {
    const failed = exited.then((code) => Promise.reject(new Error(`The client process exited with ${code}`)));
    const [message]: SocketReport[] = await Promise.race([once(child, 'message'), failed]);
    if (message === undefined) throw new Error('The client process sent no message');
    return message;
  };
  return { child, exited, report };
}

/** Opens sockets to a server with POST /publish, and measures how many messages are delivered to them. */
export async function countDeliveries(
  address: string,
  sockets: number,
  seconds: number,
): Promise<Deliveries> {
  const { exited, report } = startClient(address, sockets, seconds);
  let message = await report();
  while (message.type !== 'measured') message = await report();
  await exited;
  return message;
}

/** Opens sockets, each as another user, and keeps them open until `work` is done. */
export async function withIdleSockets<Result>(
  address: string,
  sockets: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const { child, exited, report } = startClient(address, sockets, 0);
  try {
    await report();
    return await work();
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}
