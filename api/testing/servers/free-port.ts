import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** The range ends below the ephemeral ports (from 32,768): an outgoing connection could take one of those before it is used. */
const FIRST = 20_000;
const AFTER_LAST = 32_768;

/** A random port of this machine on which no process listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, AFTER_LAST);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
