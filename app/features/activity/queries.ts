import { useUserQuery } from '#app/lib/engine/user-query.ts';
import { type ActivityView, readActivity } from '#sync/client/cache/reads.ts';

/** The cached ledger with the changes that the server has not confirmed; undefined until it is read. */
export function useActivity(): ActivityView | undefined {
  return useUserQuery(readActivity);
}
