import 'fake-indexeddb/auto';
import { beforeEach, expect, test, vi } from 'vitest';
import { createDraftKeeper, readDraft } from './draft-store.ts';

let userId = 100;

beforeEach(() => {
  userId += 1;
  const kept = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  });
  return () => vi.unstubAllGlobals();
});

test('what was written is there right after Back, the newest of it', async () => {
  const keeper = createDraftKeeper(userId, 'new');
  keeper.change('S');
  keeper.flush();
  keeper.change('Stay or go?');
  keeper.flush();
  expect(await readDraft(userId, 'new')).toBe('Stay or go?');
});

test('a moment after the last key it is kept without being asked', async () => {
  createDraftKeeper(userId, 'new').change('Stay');
  expect(await readDraft(userId, 'new')).toBeUndefined();
  await vi.waitFor(async () => expect(await readDraft(userId, 'new')).toBe('Stay'));
});

test('a form that was emptied brings nothing back', async () => {
  const keeper = createDraftKeeper(userId, 'new');
  keeper.change('Stay');
  keeper.flush();
  keeper.change(null);
  keeper.flush();
  expect(await readDraft(userId, 'new')).toBeUndefined();
});

test('Cancel clears it, and what was typed last does not come after', async () => {
  const keeper = createDraftKeeper(userId, 'new');
  keeper.change('Stay');
  keeper.flush();
  keeper.change('Stay or go?');
  keeper.drop();
  keeper.change('Stay or go?!');
  keeper.flush();
  expect(await readDraft(userId, 'new')).toBeUndefined();
});

test('another tab has a draft of its own', async () => {
  const keeper = createDraftKeeper(userId, 'new');
  keeper.change('Stay');
  keeper.flush();
  sessionStorage.setItem('tab', 'another');
  expect(await readDraft(userId, 'new')).toBeUndefined();
});
