import type { Database } from '#api/db/client.ts';

export type SlidingCounter = ReturnType<typeof createSlidingCounter>;

type SlidingWindow = { calls: number; seconds: number };

/**
 * A counter in the database with a sliding window: at most `calls` calls within any `seconds` are allowed.
 *
 * Handwritten SQL: the condition of the update decides, so that two processes cannot both take the last call.
 */
export function createSlidingCounter(db: Database, { calls, seconds }: SlidingWindow) {
  const { sql } = db;

  /** Counts a call of `key`. `delayS`: seconds to wait, 0 within the limit; `undo` undoes the count. */
  async function count(key: string): Promise<{ delayS: number; undo: () => Promise<void> }> {
    const [counted] = await sql<[{ countedAt: string }?]>`
      insert into recent_calls as stored (key, times) values (${key}, array[clock_timestamp()])
      on conflict (key) do update set times = array(
        select time from unnest(stored.times) time
        where time > clock_timestamp() - make_interval(secs => ${seconds}) order by time
      ) || clock_timestamp()
      where (
        select count(*) from unnest(stored.times) time
        where time > clock_timestamp() - make_interval(secs => ${seconds})
      ) < ${calls}
      returning times[cardinality(times)]::text as "countedAt"`;
    if (counted !== undefined) return { delayS: 0, undo: () => remove(key, counted.countedAt) };
    const [wait] = await sql<[{ delayS: number }?]>`
      select ceil(extract(epoch from min(time) - clock_timestamp()) + ${seconds})::int as "delayS"
      from recent_calls, unnest(times) time
      where key = ${key} and time > clock_timestamp() - make_interval(secs => ${seconds})`;
    return { delayS: Math.max(1, wait?.delayS ?? 1), undo: async () => {} };
  }

  /** Removes a call that was counted at this time. */
  async function remove(key: string, countedAt: string): Promise<void> {
    await sql`
      update recent_calls set times = times[:array_position(times, ${countedAt}::timestamptz) - 1]
        || times[array_position(times, ${countedAt}::timestamptz) + 1:]
      where key = ${key} and array_position(times, ${countedAt}::timestamptz) is not null`;
  }

  return { count };
}
