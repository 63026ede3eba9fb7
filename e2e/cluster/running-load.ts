import { setTimeout as sleep } from 'node:timers/promises';
import { inSeconds } from '#e2e/hard/in-seconds.ts';
import { createLoad, type Load } from '#e2e/hard/load.ts';
import type { Report } from '#e2e/hard/table-test.ts';
import type { Cluster } from './cluster.ts';

const CONNECTIONS = 6;
/** `advance` throws if its changes take longer. */
const ADVANCE_WITHIN_MS = 60_000;

/** A load that runs in the background while a test injects faults. */
export type RunningLoad = {
  load: Load;
  /** Waits until `changes` more changes are acknowledged. */
  advance(changes: number): Promise<void>;
  /** Stops the load, retries unacknowledged changes, and reports the counts. */
  finish(report: Report): Promise<void>;
};

/** Starts a load of `votes` votes, with new polls in between. Changes without a response are retried, as by the app. */
export async function startLoad(cluster: Cluster, votes: number): Promise<RunningLoad> {
  const load = await createLoad(cluster, votes);
  const stopping = new AbortController();
  const running = load.run(stopping.signal, CONNECTIONS);
  return {
    load,
    advance: async (changes) => {
      const timeout = sleep(ADVANCE_WITHIN_MS, null, { ref: false }).then(() => {
        throw new Error(`Fewer than ${changes} changes within ${inSeconds(ADVANCE_WITHIN_MS)} s.`);
      });
      for (let remaining = changes; remaining > 0; remaining -= 1) await Promise.race([load.next(), timeout]);
    },
    finish: async ({ check, record }) => {
      stopping.abort();
      await running;
      await load.finish();
      const { unexpected, acknowledged, interrupted, badGateways, unavailable } = load;
      check(unexpected.length === 0, `${unexpected.length} unexpected responses, such as ${unexpected[0]}`);
      record(
        `${acknowledged} changes acknowledged; retried after 503: ${unavailable}, 502: ${badGateways.length}, no response: ${interrupted}`,
      );
    },
  };
}

export const LOAD = `votes and new polls, ${CONNECTIONS} concurrent requests`;
