import { loadavg } from 'node:os';
import { join } from 'node:path';
import { seedLoad, writeImages } from '#bench/load/seed-load.ts';
import { load } from '#bench/load/wrk.ts';
import { insertPeople } from '#e2e/hard/people.ts';
import { clusterTest } from './cluster-test.ts';
import { median } from './figures.ts';

const SCALE = { users: 500, polls: 400, votesOfUser: 0 };
const ROUNDS = 3;
const SECONDS = 3;
const CONNECTIONS = 32;
const SCRIPTS = join(import.meta.dirname, '..', '..', 'bench', 'load');

const asRatios = (perSecond: readonly number[]) =>
  perSecond.map((figure) => (figure / (perSecond[0] ?? Number.NaN)).toFixed(2)).join(' : ');
const rounded = (perSecond: readonly number[]) => perSecond.map((figure) => figure.toFixed(0)).join(', ');

clusterTest(
  7,
  'one, two and three processes',
  `wrk with ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s each, on the cores of this machine`,
  async (cluster, { check, note }) => {
    await cluster.inspect(({ sql }) => seedLoad(sql, SCALE));
    await writeImages(cluster.dataDir, SCALE.polls);
    const votes = cluster.ports.map((): number[] => []);
    const reads = cluster.ports.map((): number[] => []);
    let firstVote = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const nth of cluster.ports.keys()) {
        await cluster.nginx.balance(cluster.ports.slice(0, nth + 1));
        const options = { url: cluster.nginx.address, connections: CONNECTIONS, seconds: SECONDS };
        const voting = await load({
          ...options,
          script: { path: join(SCRIPTS, 'vote.lua'), args: [SCALE.users, SCALE.polls, firstVote, 0] },
        });
        // The two threads of the script take turns; what they have begun counts, too.
        firstVote += Math.ceil(voting.perSecond * SECONDS * 2) + 10_000;
        votes[nth]?.push(voting.perSecond);
        const reading = await load({
          ...options,
          script: { path: join(SCRIPTS, 'feed.lua'), args: [SCALE.users] },
        });
        reads[nth]?.push(reading.perSecond);
      }
    }
    const [votesMedians, readsMedians] = [votes.map(median), reads.map(median)];
    check(firstVote <= SCALE.users * SCALE.polls, 'the votes were not all different');
    note(`votes a second ${rounded(votesMedians)}, as ratios ${asRatios(votesMedians)}`);
    note(`reads of the feed a second ${rounded(readsMedians)}, as ratios ${asRatios(readsMedians)}`);
    note(`load average ${loadavg()[0]?.toFixed(1)}`);
  },
);

const TRIES = 12;
const ALLOWED = 10;

clusterTest(
  9,
  'limits of logins across processes',
  `${TRIES} wrong passwords of one name, on one process after the other`,
  async (cluster, { check, note }) => {
    await cluster.inspect((db) => insertPeople(db, 1, 0));
    const [row] = await cluster.inspect(
      ({ sql }) => sql<[{ username: string }?]>`select username from users order by id desc limit 1`,
    );
    const body = JSON.stringify({ username: row?.username, password: 'not the password' });
    const codes: (string | undefined)[] = [];
    for (let nth = 0; nth < TRIES; nth += 1) {
      const { address } = cluster.process(nth % cluster.ports.length);
      const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': '192.0.2.1' };
      const answer = await fetch(`${address}/api/login`, { method: 'POST', headers, body });
      codes.push((await answer.json()).code);
    }
    const expected = Array.from({ length: TRIES }, (_, nth) =>
      nth < ALLOWED ? 'invalid_credentials' : 'rate_limited',
    );
    check(codes.join() === expected.join(), `the answers: ${codes.join()}`);
    note(`${ALLOWED} were answered, then 429 from each process`);
  },
  () => ({ RATE_LIMITS: 'on' }),
);
