import { DAY_MS } from '#shared/time.ts';
import 'fake-indexeddb/auto';
import { beforeEach, expect, test, vi } from 'vitest';

/** The names of the locks that are held by any of the tabs. */
let heldLocks: Set<string>;
let userId = 100;

type Options = { ifAvailable?: boolean; signal?: AbortSignal };

/** A fake of the Web Locks API. A request waits until the lock is released. */
const fakeLocks = {
  async request(name: string, { ifAvailable, signal }: Options, job: (lock: object | null) => unknown) {
    if (ifAvailable && heldLocks.has(name)) return job(null);
    while (heldLocks.has(name)) {
      signal?.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    heldLocks.add(name);
    try {
      return await job({});
    } finally {
      heldLocks.delete(name);
    }
  },
};

/** Opens a tab with a session storage: empty for a new tab, another tab's for a reload or a duplicate, or null for none. */
async function openTab(sessionItems: Map<string, string> | null = new Map()) {
  const storage = sessionItems && {
    getItem: (key: string) => sessionItems.get(key) ?? null,
    setItem: (key: string, value: string) => sessionItems.set(key, value),
  };
  vi.stubGlobal('sessionStorage', storage);
  vi.resetModules();
  const { ownTabId, tabLockName } = await import('./tab-id.ts');
  const { createDraftSaver, readDraft } = await import('./draft-store.ts');
  const tabId = String(await ownTabId());
  return {
    sessionItems,
    saver: (form = 'new') => createDraftSaver(userId, form),
    read: (form = 'new') => readDraft(userId, form),
    /** Saves a text, and waits until it is stored. */
    async write(text: string, form = 'new') {
      const saver = createDraftSaver(userId, form);
      saver.change(text);
      saver.flush();
      expect(await readDraft(userId, form)).toBe(text);
      return saver;
    },
    kill: () => heldLocks.delete(tabLockName(tabId)),
  };
}

beforeEach(() => {
  userId += 1;
  heldLocks = new Set();
  vi.stubGlobal('navigator', { locks: fakeLocks });
  return () => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  };
});

test('a draft that is read right after it was saved has the newest text', async () => {
  const tab = await openTab();
  const saver = tab.saver();
  saver.change('S');
  saver.flush();
  saver.change('Stay or go?');
  saver.flush();
  expect(await tab.read()).toBe('Stay or go?');
});

test('a draft is saved automatically shortly after the last change', async () => {
  const tab = await openTab();
  tab.saver().change('Stay');
  expect(await tab.read()).toBeUndefined();
  await vi.waitFor(async () => expect(await tab.read()).toBe('Stay'));
});

test('a change is reported as saved once it is stored, and never if it cannot be stored or a later one replaces it', async () => {
  const tab = await openTab();
  const saver = tab.saver();
  const saved: string[] = [];
  saver.change('Stay', () => void saved.push('Stay'));
  saver.change('Stay or go?', () => void saved.push('Stay or go?'));
  expect(saved).toEqual([]);
  await vi.waitFor(() => expect(saved).toEqual(['Stay or go?']));
  expect(await tab.read()).toBe('Stay or go?');

  const saverWithoutStorage = (await openTab(null)).saver();
  saverWithoutStorage.change('Go', () => void saved.push('Go'));
  saverWithoutStorage.flush();
  await tab.write('Go on?');
  expect(saved).toEqual(['Stay or go?']);
});

test('an emptied form leaves no draft', async () => {
  const tab = await openTab();
  const saver = await tab.write('Stay');
  saver.change(null);
  saver.flush();
  expect(await tab.read()).toBeUndefined();
});

test('Cancel deletes the draft, and later changes are not saved', async () => {
  const tab = await openTab();
  const saver = await tab.write('Stay');
  saver.change('Stay or go?');
  saver.discard();
  saver.change('Stay or go?!');
  saver.flush();
  expect(await tab.read()).toBeUndefined();
});

test('each tab has its own draft', async () => {
  const [tab, otherTab] = [await openTab(), await openTab()];
  await tab.write('Stay');
  expect(await otherTab.read()).toBeUndefined();
  await otherTab.write('Go');
  expect(await tab.read()).toBe('Stay');
});

test('a reloaded tab reads its draft again, and other tabs do not take it over', async () => {
  const originalTab = await openTab();
  await originalTab.write('Stay');
  // The reloaded page starts before the previous page has released its lock.
  setTimeout(originalTab.kill, 50);
  const tab = await openTab(originalTab.sessionItems);
  expect(await (await openTab()).read()).toBeUndefined();
  expect(await tab.read()).toBe('Stay');
});

test('a duplicated tab starts without a draft, and both tabs keep their own', async () => {
  const tab = await openTab();
  await tab.write('Stay');
  const copy = await openTab(new Map(tab.sessionItems));
  expect(await copy.read()).toBeUndefined();
  await copy.write('Go');
  expect(await tab.read()).toBe('Stay');
  copy.kill();
  expect(await (await openTab(copy.sessionItems)).read()).toBe('Go');
});

test('a new tab takes over the newest draft of killed tabs, and each draft is taken over once', async () => {
  const [older, newer] = [await openTab(), await openTab()];
  await older.write('Older');
  // Drafts saved in the same millisecond have no defined order.
  await new Promise((resolve) => setTimeout(resolve, 5));
  await newer.write('Newer');
  older.kill();
  newer.kill();
  const [tab, otherTab] = [await openTab(), await openTab()];
  expect(await tab.read()).toBe('Newer');
  expect(await tab.read()).toBe('Newer');
  expect(await otherTab.read()).toBe('Older');
  expect(await (await openTab()).read()).toBeUndefined();
});

test('of two tabs that read at the same time, only one takes over the draft', async () => {
  const killedTab = await openTab();
  await killedTab.write('Stay');
  killedTab.kill();
  const tabs = [await openTab(), await openTab()];
  const texts = await Promise.all(tabs.map((tab) => tab.read()));
  expect(texts.filter((text) => text === 'Stay')).toHaveLength(1);
});

test('a draft that was taken over and cancelled is deleted permanently', async () => {
  const killedTab = await openTab();
  await killedTab.write('Stay');
  killedTab.kill();
  const tab = await openTab();
  expect(await tab.read()).toBe('Stay');
  tab.saver().discard();
  expect(await tab.read()).toBeUndefined();
  tab.kill();
  expect(await (await openTab()).read()).toBeUndefined();
  expect(await (await openTab(killedTab.sessionItems)).read()).toBeUndefined();
});

test('a draft of another user or another form is not taken over', async () => {
  const killedTab = await openTab();
  await killedTab.write('Stay');
  killedTab.kill();
  const tab = await openTab();
  expect(await tab.read('a-refused-poll')).toBeUndefined();
  userId += 1;
  expect(await tab.read()).toBeUndefined();
  userId -= 1;
  expect(await tab.read()).toBe('Stay');
});

test('a draft is deleted after a day', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const tab = await openTab();
  await tab.write('Stay');
  vi.setSystemTime(Date.now() + DAY_MS - 1);
  expect(await tab.read()).toBe('Stay');
  vi.setSystemTime(Date.now() + 2);
  expect(await tab.read()).toBeUndefined();
  // Deleted, not just ignored: at a time before its expiry, it does not exist either.
  vi.setSystemTime(Date.now() - 2);
  expect(await tab.read()).toBeUndefined();
});

test('without Web Locks, a tab keeps its own draft and takes over no draft of another tab', async () => {
  vi.stubGlobal('navigator', {});
  const tab = await openTab();
  await tab.write('Stay');
  expect(await (await openTab()).read()).toBeUndefined();
  expect(await (await openTab(tab.sessionItems)).read()).toBe('Stay');
});

test('without storage, drafts are not saved and nothing throws', async () => {
  const tab = await openTab(null);
  const saver = tab.saver();
  saver.change('Go');
  saver.flush();
  expect(await tab.read()).toBeUndefined();
});

test('after the database could not be opened once, the next change is saved', async () => {
  const tab = await openTab();
  const open = vi.spyOn(indexedDB, 'open').mockImplementationOnce(() => {
    throw new DOMException('The disk is busy', 'AbortError');
  });
  const saver = tab.saver();
  saver.change('Stay');
  await saver.flush();
  expect(open).toHaveBeenCalledTimes(1);
  open.mockRestore();
  saver.change('Stay or go?');
  await saver.flush();
  expect(await tab.read()).toBe('Stay or go?');
});

test('a draft is read even if expired drafts cannot be deleted', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const tab = await openTab();
  await tab.write('Go', 'expired');
  vi.setSystemTime(Date.now() + DAY_MS + 1);
  const saver = tab.saver();
  saver.change('Stay');
  await saver.flush();
  const deletion = vi.spyOn(IDBObjectStore.prototype, 'delete').mockImplementation(() => {
    throw new DOMException('The disk is full', 'QuotaExceededError');
  });
  expect(await tab.read()).toBe('Stay');
  expect(deletion).toHaveBeenCalled();
  deletion.mockRestore();
});
