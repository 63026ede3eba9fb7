import { DAY_MS } from '#shared/time.ts';
import 'fake-indexeddb/auto';
import { beforeEach, expect, test, vi } from 'vitest';

/** The names of the locks that are held: those of all tabs, as in a browser. */
let held: Set<string>;
let userId = 100;

type Options = { ifAvailable?: boolean; signal?: AbortSignal };

/** Web Locks; one that is waited for comes when it is freed. */
const fakeLocks = {
  async request(name: string, { ifAvailable, signal }: Options, job: (lock: object | null) => unknown) {
    if (ifAvailable && held.has(name)) return job(null);
    while (held.has(name)) {
      signal?.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    held.add(name);
    try {
      return await job({});
    } finally {
      held.delete(name);
    }
  },
};

/** A tab with the session storage `kept`: a new one, one loaded anew, or a copy. Null: the browser has none. */
async function openTab(kept: Map<string, string> | null = new Map()) {
  const storage = kept && {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  };
  vi.stubGlobal('sessionStorage', storage);
  vi.resetModules();
  const { ownTabId, tabLockName } = await import('./tab-id.ts');
  const { createDraftSaver, readDraft } = await import('./draft-store.ts');
  const name = String(await ownTabId());
  return {
    kept,
    saver: (form = 'new') => createDraftSaver(userId, form),
    read: (form = 'new') => readDraft(userId, form),
    /** Writes, and waits until it is kept. */
    async write(text: string, form = 'new') {
      const saver = createDraftSaver(userId, form);
      saver.change(text);
      saver.flush();
      expect(await readDraft(userId, form)).toBe(text);
      return saver;
    },
    kill: () => held.delete(tabLockName(name)),
  };
}

beforeEach(() => {
  userId += 1;
  held = new Set();
  vi.stubGlobal('navigator', { locks: fakeLocks });
  return () => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  };
});

test('what was written is there right after Back, the newest of it', async () => {
  const tab = await openTab();
  const saver = tab.saver();
  saver.change('S');
  saver.flush();
  saver.change('Stay or go?');
  saver.flush();
  expect(await tab.read()).toBe('Stay or go?');
});

test('a moment after the last key it is kept without being asked', async () => {
  const tab = await openTab();
  tab.saver().change('Stay');
  expect(await tab.read()).toBeUndefined();
  await vi.waitFor(async () => expect(await tab.read()).toBe('Stay'));
});

test('a form that was emptied brings nothing back', async () => {
  const tab = await openTab();
  const saver = await tab.write('Stay');
  saver.change(null);
  saver.flush();
  expect(await tab.read()).toBeUndefined();
});

test('Cancel clears it, and what was typed last does not come after', async () => {
  const tab = await openTab();
  const saver = await tab.write('Stay');
  saver.change('Stay or go?');
  saver.discard();
  saver.change('Stay or go?!');
  saver.flush();
  expect(await tab.read()).toBeUndefined();
});

test('another tab has a draft of its own', async () => {
  const [left, right] = [await openTab(), await openTab()];
  await left.write('Stay');
  expect(await right.read()).toBeUndefined();
  await right.write('Go');
  expect(await left.read()).toBe('Stay');
});

test('a tab that is loaded anew has its draft again, and others see that it lives', async () => {
  const before = await openTab();
  await before.write('Stay');
  setTimeout(before.kill, 50);
  const tab = await openTab(before.kept);
  expect(await (await openTab()).read()).toBeUndefined();
  expect(await tab.read()).toBe('Stay');
});

test('a copy of a tab begins anew, and both keep what is theirs', async () => {
  const tab = await openTab();
  await tab.write('Stay');
  const copy = await openTab(new Map(tab.kept));
  expect(await copy.read()).toBeUndefined();
  await copy.write('Go');
  expect(await tab.read()).toBe('Stay');
  copy.kill();
  expect(await (await openTab(copy.kept)).read()).toBe('Go');
});

test('the newest draft of tabs that were killed is taken over, once', async () => {
  const [older, newer] = [await openTab(), await openTab()];
  await older.write('Older');
  // Drafts of the same millisecond have no order.
  await new Promise((resolve) => setTimeout(resolve, 5));
  await newer.write('Newer');
  older.kill();
  newer.kill();
  const [tab, late] = [await openTab(), await openTab()];
  expect(await tab.read()).toBe('Newer');
  expect(await tab.read()).toBe('Newer');
  expect(await late.read()).toBe('Older');
  expect(await (await openTab()).read()).toBeUndefined();
});

test('of two tabs that look at the same time, one takes it over', async () => {
  const gone = await openTab();
  await gone.write('Stay');
  gone.kill();
  const tabs = [await openTab(), await openTab()];
  const found = await Promise.all(tabs.map((tab) => tab.read()));
  expect(found.filter((text) => text === 'Stay')).toHaveLength(1);
});

test('what was taken over and cancelled is gone for good', async () => {
  const gone = await openTab();
  await gone.write('Stay');
  gone.kill();
  const tab = await openTab();
  expect(await tab.read()).toBe('Stay');
  tab.saver().discard();
  expect(await tab.read()).toBeUndefined();
  tab.kill();
  expect(await (await openTab()).read()).toBeUndefined();
  expect(await (await openTab(gone.kept)).read()).toBeUndefined();
});

test('nobody takes over what another person or another form has left', async () => {
  const gone = await openTab();
  await gone.write('Stay');
  gone.kill();
  const tab = await openTab();
  expect(await tab.read('a-refused-poll')).toBeUndefined();
  userId += 1;
  expect(await tab.read()).toBeUndefined();
  userId -= 1;
  expect(await tab.read()).toBe('Stay');
});

test('after a day it is forgotten', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const tab = await openTab();
  await tab.write('Stay');
  vi.setSystemTime(Date.now() + DAY_MS - 1);
  expect(await tab.read()).toBe('Stay');
  vi.setSystemTime(Date.now() + 2);
  expect(await tab.read()).toBeUndefined();
});

test('without locks a tab keeps its own draft and takes over none', async () => {
  vi.stubGlobal('navigator', {});
  const tab = await openTab();
  await tab.write('Stay');
  expect(await (await openTab()).read()).toBeUndefined();
  expect(await (await openTab(tab.kept)).read()).toBe('Stay');
});

test('without storage nothing is kept, and nothing fails', async () => {
  const tab = await openTab(null);
  const saver = tab.saver();
  saver.change('Go');
  saver.flush();
  expect(await tab.read()).toBeUndefined();
});
