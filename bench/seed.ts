import { measureMs } from './load/measurements.ts';
import { SCALE, seedScale } from './seed-scale.ts';

/** Seeds the empty database at `DATABASE_URL` with the data of the benchmarks of large databases. */

const url = process.env.DATABASE_URL;
if (!url) throw new Error('DATABASE_URL must be the address of an empty PostgreSQL database');
const ms = await measureMs(() => seedScale(url));
console.log(
  `${SCALE.users} users, ${SCALE.polls} polls, ${5 * SCALE.polls} votes in ${Math.round(ms / 1_000)} s`,
);
