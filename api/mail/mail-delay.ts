import type { Limit } from '#api/http/limits/limits.ts';

/**
 * Does `work` with the seconds that its mail to `key` (a user's id, or an address in any case) has to wait to
 * stay within `limit`. When `work` fails there is no mail, and it does not count.
 */
export async function withMailDelay<Result>(
  limit: Limit,
  key: string | number,
  work: (delayS: number) => Promise<Result>,
): Promise<Result> {
  const countedAs = typeof key === 'string' ? key.toLowerCase() : key;
  const delayS = await limit.delayOf(countedAs);
  try {
    return await work(delayS);
  } catch (error) {
    await limit.giveBack(countedAs);
    throw error;
  }
}
