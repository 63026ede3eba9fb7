import { type BenchOptions, inTurn, median, type Row } from './load/rows.ts';
import { ensureTools } from './load/tools.ts';
import { type Load, load } from './load/wrk.ts';
import { logIn, withServer } from './owner-server.ts';

const LOGINS_AT_ONCE = 8;
const CONNECTIONS = 16;
const RATIO_TARGET = 0.7;
const P99_MAX_MS = 20;

/** How much eight logins at once, each of which hashes a password, keep the server from answering others. */
export async function benchLogin({ rounds, seconds }: BenchOptions): Promise<Row[]> {
  ensureTools('wrk');
  return withServer('', async ({ address }) => {
    const health = () => load({ url: `${address}/api/health`, connections: CONNECTIONS, seconds });
    const besideLogins = async () => {
      const ending = new AbortController();
      const logins = Array.from({ length: LOGINS_AT_ONCE }, async () => {
        while (!ending.signal.aborted) await logIn(address);
      });
      const found = await health();
      ending.abort();
      await Promise.all(logins);
      return found;
    };
    const { idle, busy } = await inTurn({ idle: health, busy: besideLogins }, rounds);
    const perSecond = (loads: readonly Load[]) => median(loads.map((one) => one.perSecond));
    const p99Ms = median(busy.map((one) => one.p99Ms));
    return [
      {
        metric: 'health under 8 logins at once ÷ idle',
        value: `${perSecond(busy).toFixed(0)} of ${perSecond(idle).toFixed(0)}/s`,
        figure: perSecond(busy) / perSecond(idle),
        target: { min: RATIO_TARGET },
      },
      {
        metric: 'health under 8 logins at once, p99 in ms',
        value: `${p99Ms.toFixed(1)} ms`,
        figure: p99Ms,
        target: { max: P99_MAX_MS },
      },
    ];
  });
}
