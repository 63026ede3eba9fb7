import type { AppDeps } from '#api/deps.ts';
import { CallRouter } from '#api/http/call-router.ts';
import * as calls from '#shared/explore/contract.ts';
import { readDeck } from './read-deck.ts';
import { searchPolls } from './search-polls.ts';

export function exploreRoutes({ limits, reads, shareLinks }: AppDeps): CallRouter {
  return new CallRouter()
    .answer(calls.readDeck, ({ c, user, query }) =>
      reads(c, (source) => readDeck({ ...source, shareLinks }, user, query)),
    )
    .answer(calls.searchPolls, async ({ c, user, query }) => {
      await limits.searches.take(user.id);
      return reads(c, (source) => searchPolls({ ...source, shareLinks }, user, query));
    });
}
