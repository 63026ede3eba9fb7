import { useDeferredValue } from 'react';
import { useUserQueryOf } from '#app/lib/engine/user-query.ts';
import { type DeckView, readDeck } from '#sync/client/cache/deck-reads.ts';
import { askedFor, type Pass } from './lib/pass.ts';

/** The stored deck with the polls of the pass; undefined until it is read. */
export function useDeckView(pass: Pass, nowMs: number): DeckView | undefined {
  // What is through is asked for after the next card has been painted; the card that is held, before its vote is stored.
  const before = askedFor(useDeferredValue(pass));
  const asked = [...new Set(pass.held === null ? before : [pass.held, ...before])];
  return useUserQueryOf((db) => readDeck(db, nowMs, asked), [nowMs, asked.join(' ')]);
}
