import { voteOf } from '#e2e/hard/changes.ts';
import { insertPolls, insertUsers } from '#e2e/hard/seed-data.ts';
import type { Cluster } from './cluster.ts';
import { until } from './waiting.ts';

const LISTENERS = 12;
const RECEIVED_WITHIN_MS = 1_500;
const UPDATES_WITHIN_MS = 60_000;
const RETRY_AFTER_MS = 100;

/** Clients that receive live updates. */
export type Listeners = {
  /** The number of lost sockets so far. */
  losses(): number;
  /** Casts votes until all clients receive a vote. Returns the milliseconds that this took. */
  waitForUpdates(): Promise<number>;
};

/** Opens clients for live updates, spread over all processes. */
export async function openListeners(cluster: Cluster): Promise<Listeners> {
  const users = await cluster.inspect((db) => insertUsers(db, LISTENERS, 0));
  const clients = await Promise.all(users.map((user) => cluster.listen(user)));

  /** Votes on a new poll. Returns whether all clients received the vote. */
  async function vote(): Promise<boolean> {
    const { voters, polls } = await cluster.inspect(async (db) => ({
      voters: await insertUsers(db, 1, 0),
      polls: await insertPolls(db, 1),
    }));
    const [voter] = voters;
    const [poll = ''] = polls;
    if (voter === undefined) throw new Error('no voter');
    const response = await cluster.send(voteOf(voter, poll, 1));
    if (response?.status !== 200) return false;
    const haveAllReceived = () => clients.every((client) => client.receivedAtMs(poll, 1) !== undefined);
    await until(haveAllReceived, 'Not all clients received the vote.', RECEIVED_WITHIN_MS).catch(() => {});
    return haveAllReceived();
  }

  return {
    losses: () => clients.reduce((sum, { losses }) => sum + losses, 0),
    waitForUpdates: async () => {
      const startedMs = performance.now();
      await until(vote, 'The live updates did not resume.', UPDATES_WITHIN_MS, RETRY_AFTER_MS);
      return performance.now() - startedMs;
    },
  };
}
