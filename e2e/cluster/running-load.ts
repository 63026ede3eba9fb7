import { setTimeout as sleep } from 'node:timers/promises';
import { createLoad, type Load } from '#e2e/hard/load.ts';
import type { Report } from '#e2e/hard/row-test.ts';
import type { Cluster } from './cluster.ts';
import { inSeconds } from './figures.ts';

const CONNECTIONS = 6;
/** A cluster that serves nothing for so long does not come back. */
const ADVANCE_WITHIN_MS = 60_000;

/** A load that goes on while something is done to the cluster. */
export type RunningLoad = {
  load: Load;
  /** Waits for so many changes that take effect. */
  advance(changes: number): Promise<void>;
  /** Ends it, sends again what got no answer, and reports it. */
  finish(report: Report): Promise<void>;
};

/** Starts to send as many votes, and new polls among them. What gets no answer is sent again, as the app does. */
export async function startLoad(cluster: Cluster, votes: number): Promise<RunningLoad> {
  const load = await createLoad(cluster, votes);
  const stopping = new AbortController();
  const running = load.run(stopping.signal, CONNECTIONS);
  return {
    load,
    advance: async (changes) => {
      const tooLate = sleep(ADVANCE_WITHIN_MS, null, { ref: false }).then(() => {
        throw new Error(`No ${changes} changes within ${inSeconds(ADVANCE_WITHIN_MS)} s.`);
      });
      for (let left = changes; left > 0; left -= 1) await Promise.race([load.next(), tooLate]);
    },
    finish: async ({ check, note }) => {
      stopping.abort();
      await running;
      await load.finish();
      const { wrong, answered, interrupted, badGateways, unavailable } = load;
      check(wrong.length === 0, `${wrong.length} wrong answers, such as ${wrong[0]}`);
      note(
        `${answered} changes acknowledged; sent again after 503: ${unavailable}, 502: ${badGateways.length}, no answer: ${interrupted}`,
      );
    },
  };
}

export const LOAD = `votes and polls, ${CONNECTIONS} at once`;
