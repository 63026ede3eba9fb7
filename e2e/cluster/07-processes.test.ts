import { loadavg } from 'node:os';
import { join } from 'node:path';
import { median } from '#bench/load/quantiles.ts';
import { seedLoad, writeImages } from '#bench/load/seed-load.ts';
import { load } from '#bench/load/wrk.ts';
import { type ApiResponse, creationOf, readResponse } from '#e2e/hard/changes.ts';
import { insertUsers } from '#e2e/hard/seed-data.ts';
import { clusterTest } from './cluster-test.ts';

const SCALE = { users: 2_000, polls: 400, votesOfUser: 0 };
const ROUNDS = 3;
const SECONDS_PER_RUN = 3;
const CONNECTIONS = 32;
const SCRIPTS_FOLDER = join(import.meta.dirname, '..', '..', 'bench', 'load');

const asRatios = (perSecond: readonly number[]) =>
  perSecond.map((rate) => (rate / (perSecond[0] ?? Number.NaN)).toFixed(2)).join(' : ');
const formatRates = (perSecond: readonly number[]) => perSecond.map((rate) => rate.toFixed(0)).join(', ');

clusterTest(
  {
    number: 7,
    name: 'one, two and three processes',
    load: `wrk with ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS_PER_RUN} s each, all on the same cores`,
  },
  async (cluster, { check, record }) => {
    await cluster.inspect(({ sql }) => seedLoad(sql, SCALE));
    await writeImages(cluster.dataDir, SCALE.polls);
    // The rates measured with one, two and three processes.
    const votesPerSecond = cluster.ports.map((): number[] => []);
    const readsPerSecond = cluster.ports.map((): number[] => []);
    /** The highest number that a vote may have so far; `vote.lua` numbers the next votes after it. */
    let lastNumber = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const index of cluster.ports.keys()) {
        await cluster.nginx.balance(cluster.ports.slice(0, index + 1));
        const options = { url: cluster.nginx.address, connections: CONNECTIONS, seconds: SECONDS_PER_RUN };
        const voting = await load({
          ...options,
          script: { path: join(SCRIPTS_FOLDER, 'vote.lua'), args: [SCALE.users, SCALE.polls, lastNumber, 0] },
        });
        // Each of the script's two threads uses every second number, so a thread that casts nearly all N votes reaches number
        // 2 N. The margin covers votes that were sent but not counted.
        lastNumber += Math.ceil(voting.perSecond * SECONDS_PER_RUN * 2) + 10_000;
        votesPerSecond[index]?.push(voting.perSecond);
        const reading = await load({
          ...options,
          script: { path: join(SCRIPTS_FOLDER, 'feed.lua'), args: [SCALE.users] },
        });
        readsPerSecond[index]?.push(reading.perSecond);
      }
    }
    const votesMedians = votesPerSecond.map(median);
    const readsMedians = readsPerSecond.map(median);
    check(
      lastNumber <= SCALE.users * SCALE.polls,
      'there may be too few users and polls for different votes',
    );
    record(`votes per second ${formatRates(votesMedians)}, ratios ${asRatios(votesMedians)}`);
    record(`feed reads per second ${formatRates(readsMedians)}, ratios ${asRatios(readsMedians)}`);
    record(`load average ${loadavg()[0]?.toFixed(1)}`);
  },
);

/** The number of requests of each kind. */
const ATTEMPTS = 12;
const ALLOWED_ATTEMPTS = 10;
const ADDRESS = '192.0.2.1';

clusterTest(
  {
    number: 9,
    name: 'rate limits across processes',
    load: `${ATTEMPTS} wrong passwords for one username, on each process in turn; ${ATTEMPTS} sign-ups and ${ATTEMPTS} new polls through nginx`,
    env: () => ({ RATE_LIMITS: 'on' }),
  },
  async (cluster, { check, record }) => {
    const [user] = await cluster.inspect((db) => insertUsers(db, 1, 200));
    if (user === undefined) throw new Error('There is no user.');
    const [row] = await cluster.inspect(
      ({ sql }) => sql<[{ username: string }?]>`select username from users where id = ${user.userId}`,
    );
    const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': ADDRESS };
    const logIn = async (index: number) => {
      const { address } = cluster.process(index % cluster.ports.length);
      const body = JSON.stringify({ username: row?.username, password: 'not the password' });
      return readResponse(await fetch(`${address}/api/login`, { method: 'POST', headers, body }));
    };
    const signUp = () => cluster.request('/api/register', { method: 'POST', headers, body: '{}' });
    const createPoll = async () => cluster.send(await creationOf(user));
    for (const [name, attempt, passingCode] of [
      ['logins', logIn, 'invalid_credentials'],
      ['sign-ups', signUp, 'invalid_input'],
      ['new polls', createPoll, '201'],
    ] as const) {
      const responses: (ApiResponse | null)[] = [];
      for (let index = 0; index < ATTEMPTS; index += 1) responses.push(await attempt(index));
      const codes = responses.map((response) => response?.code ?? String(response?.status));
      const expected = codes.map((_, index) => (index < ALLOWED_ATTEMPTS ? passingCode : 'rate_limited'));
      check(codes.join() === expected.join(), `the responses to ${name}: ${codes.join()}`);
      record(`${name}: ${codes.filter((code) => code === passingCode).length} passed, then 429`);
    }
  },
);
