import { voteOf } from '#e2e/hard/changes.ts';
import { insertPeople, insertPolls } from '#e2e/hard/people.ts';
import type { Cluster } from './cluster.ts';
import { until } from './waiting.ts';

const LISTENERS = 12;
const HEARD_WITHIN_MS = 1_500;
const HEAR_AGAIN_WITHIN_MS = 60_000;
const RETRY_AFTER_MS = 100;

/** Open live updates of some people. */
export type Listeners = {
  /** How many sockets were lost so far. */
  losses(): number;
  /** Votes until all of them hear of a vote. Returns the milliseconds that took. */
  hearAgain(): Promise<number>;
};

/** Opens the live updates of some people, on all processes. */
export async function openListeners(cluster: Cluster): Promise<Listeners> {
  const people = await cluster.inspect((db) => insertPeople(db, LISTENERS, 0));
  const clients = await Promise.all(people.map((person) => cluster.listen(person)));

  /** Has a poll of its own voted on, once. Whether all have heard of it. */
  async function vote(): Promise<boolean> {
    const { voters, polls } = await cluster.inspect(async (db) => ({
      voters: await insertPeople(db, 1, 0),
      polls: await insertPolls(db, 1),
    }));
    const [voter] = voters;
    const [poll = ''] = polls;
    if (voter === undefined) throw new Error('no voter');
    const answer = await cluster.send(voteOf(voter, poll, 1));
    if (answer?.status !== 200) return false;
    const heard = () => clients.every((client) => client.heardAtMs(poll, 1) !== undefined);
    await until(heard, 'unheard', HEARD_WITHIN_MS).catch(() => {});
    return heard();
  }

  return {
    losses: () => clients.reduce((sum, { losses }) => sum + losses, 0),
    hearAgain: async () => {
      const startedMs = performance.now();
      await until(vote, 'The live updates did not come back.', HEAR_AGAIN_WITHIN_MS, RETRY_AFTER_MS);
      return performance.now() - startedMs;
    },
  };
}
