import { expect, test } from 'vitest';
import { createTestApp } from '#api/testing/test-app.ts';
import { SEARCHED_TEXT } from './schema/polls.ts';
import { containingIndexed } from './search-ids.ts';
import { inTransaction } from './transaction.ts';

const { db } = await createTestApp();

/** The index that a search for `text` uses. */
function indexOf(text: string) {
  return inTransaction(db, async (tx) => {
    await tx.sql`set local enable_seqscan = off`;
    const condition = containingIndexed(text)(tx, tx.sql`${tx.sql.unsafe(SEARCHED_TEXT)}`);
    const plan = await tx.sql`explain select id from polls where ${condition}`;
    return /polls_text_\w+/.exec(JSON.stringify(plan))?.[0];
  });
}

test.each(['tea', 'a1b', 'to be', 'x, yz', '2026', 'straße', 'été', 'дом', '山の上', '½ab', 'ab½'])(
  'a search for %s, whose letters and digits form a trigram, uses the index of trigrams',
  async (text) => {
    expect(await indexOf(text)).toBe('polls_text_search');
    // What PostgreSQL takes for letters and digits depends on its locale.
    const [{ trigrams }] = await db.sql<[{ trigrams: string[] }]>`select show_trgm(${text}) as trigrams`;
    expect(trigrams.length).toBeGreaterThan(0);
  },
);

test.each(['ab', 'a b', '...', '①②③', '½½½', 'x²³', '٣٤٥', '😀😀😀'])(
  'a search for %s, whose letters and digits form no trigram, uses the index of letter pairs',
  async (text) => {
    expect(await indexOf(text)).toBe('polls_text_pairs');
  },
);
