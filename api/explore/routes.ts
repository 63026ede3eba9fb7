import type { AppDeps } from '#api/deps.ts';
import { CallRouter } from '#api/http/call-router.ts';
import * as calls from '#shared/explore/contract.ts';
import { readDeck } from './read-deck.ts';
import { searchPolls } from './search-polls.ts';

export function exploreRoutes(deps: AppDeps): CallRouter {
  return new CallRouter()
    .answer(calls.readDeck, ({ user, query }) => readDeck(deps, user, query))
    .answer(calls.searchPolls, async ({ user, query }) => {
      await deps.limits.searches.take(user.id);
      return searchPolls(deps, user, query);
    });
}
