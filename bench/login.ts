import { type BenchOptions, measureInTurns, type Row } from './load/measurements.ts';
import { median, medianRate } from './load/quantiles.ts';
import { ensureTools } from './load/tools.ts';
import { load } from './load/wrk.ts';
import { logIn, withServer } from './owner-server.ts';

const CONCURRENT_LOGINS = 8;
const CONNECTIONS = 16;
const RATIO_TARGET = 0.7;
const P99_MAX_MS = 20;

/** Measures how much eight concurrent logins, each of which hashes a password, slow other requests down. */
export async function benchLogin({ rounds, seconds }: BenchOptions): Promise<Row[]> {
  ensureTools('wrk');
  return withServer('', async ({ address }) => {
    const health = () => load({ url: `${address}/api/health`, connections: CONNECTIONS, seconds });
    const besideLogins = async () => {
      const loggingIn = new AbortController();
      const logins = Array.from({ length: CONCURRENT_LOGINS }, async () => {
        while (!loggingIn.signal.aborted) await logIn(address);
      });
      const result = await health();
      loggingIn.abort();
      await Promise.all(logins);
      return result;
    };
    const { idle, busy } = await measureInTurns({ idle: health, busy: besideLogins }, rounds);
    const p99Ms = median(busy.map((result) => result.p99Ms));
    return [
      {
        metric: 'health under 8 logins at once ÷ idle',
        value: `${medianRate(busy).toFixed(0)} of ${medianRate(idle).toFixed(0)}/s`,
        comparedValue: medianRate(busy) / medianRate(idle),
        target: { min: RATIO_TARGET },
      },
      {
        metric: 'health under 8 logins at once, p99 in ms',
        value: `${p99Ms.toFixed(1)} ms`,
        comparedValue: p99Ms,
        target: { max: P99_MAX_MS },
      },
    ];
  });
}
