import { useUserQuery } from '#app/lib/engine/user-query.ts';
import { type DeckView, readDeck } from '#sync/client/cache/deck-reads.ts';
import { askedFor, type Pass } from './lib/pass.ts';

/** The stored deck with the polls of the pass; undefined until it is read. */
export function useDeckView(pass: Pass, nowMs: number): DeckView | undefined {
  const asked = askedFor(pass);
  return useUserQuery((db) => readDeck(db, nowMs, asked), [nowMs, asked.join(' ')]);
}
