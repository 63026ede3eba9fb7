import { timed } from './load/rows.ts';
import { SCALE, seedScale } from './seed-scale.ts';

/** Fills the empty database at `DATABASE_URL` with as much data as the benchmarks of large databases use. */
const url = process.env.DATABASE_URL;
if (!url) throw new Error('DATABASE_URL must name an empty PostgreSQL database.');
const ms = await timed(() => seedScale(url));
console.log(
  `${SCALE.users} users, ${SCALE.polls} polls, ${5 * SCALE.polls} votes in ${Math.round(ms / 1_000)} s`,
);
