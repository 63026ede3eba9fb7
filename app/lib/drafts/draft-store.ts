import { Dexie, type EntityTable } from 'dexie';
import { browserLock } from '#sync/client/device/lock.ts';
import { ownTab, tabLock } from './own-tab.ts';

/** What somebody was writing. `key` is their id, the tab and the form; `savedAt` is in milliseconds since 1970. */
type KeptDraft = { key: string; savedAt: number; form: unknown };

/** What is written is kept this long after the last key, unless it has to be at once. */
export const DRAFT_KEPT_AFTER_MS = 250;

const KEPT_FOR_MS = 86_400_000;

type DraftDb = Dexie & { drafts: EntityTable<KeptDraft, 'key'> };

let opened: DraftDb | null = null;

function database(): DraftDb {
  if (opened === null) {
    opened = new Dexie('this-or-that-drafts') as DraftDb;
    opened.version(1).stores({ drafts: 'key, savedAt' });
  }
  return opened;
}

/** A draft belongs to one tab: it never shows in two. Null without storage. */
async function ownKey(userId: number, name: string): Promise<string | null> {
  const tab = await ownTab();
  return tab === null ? null : `${userId} ${tab} ${name}`;
}

let lastWork: Promise<unknown> = Promise.resolve();

/** One after the other: what is read is what was written last, and an older draft never comes after a newer one. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const done = lastWork.then(work);
  lastWork = done.catch(() => undefined);
  return done;
}

async function forgetOld(): Promise<void> {
  const { drafts } = database();
  await drafts
    .where('savedAt')
    .below(Date.now() - KEPT_FOR_MS)
    .delete();
}

async function write(key: string, form: unknown): Promise<void> {
  const { drafts } = database();
  await database().transaction('rw', drafts, ({ idbtrans }) => {
    const written: PromiseLike<unknown> =
      form === null ? drafts.delete(key) : drafts.put({ key, savedAt: Date.now(), form });
    // Committed without waiting for it, it outlives a page that goes in this very moment.
    idbtrans.commit();
    return written;
  });
}

/** Makes a draft this tab's own; undefined when another tab was faster. */
function move(from: string, to: string): Promise<KeptDraft | undefined> {
  const { drafts } = database();
  return database().transaction('rw', drafts, async () => {
    const draft = await drafts.get(from);
    if (draft === undefined) return undefined;
    await drafts.delete(from);
    await drafts.put({ ...draft, key: to });
    return draft;
  });
}

/** Takes over the newest draft of this user's form whose tab was closed or killed: its lock is free. */
async function adoptDraft(userId: number, name: string, own: string): Promise<KeptDraft | undefined> {
  const lock = browserLock();
  if (!lock.spansTabs) return undefined;
  for (const key of await database().drafts.orderBy('savedAt').reverse().primaryKeys()) {
    const [owner, tab, form] = key.split(' ');
    if (owner !== String(userId) || form !== name || tab === undefined) continue;
    let draft: KeptDraft | undefined;
    await lock.run(tabLock(tab), async () => {
      draft = await move(key, own);
    });
    if (draft !== undefined) return draft;
  }
  return undefined;
}

/** The draft of this tab, or one that a tab left behind; undefined when there is none. */
export function readDraft(userId: number, name: string): Promise<unknown> {
  return inTurn(async () => {
    const own = await ownKey(userId, name);
    if (own === null) return undefined;
    await forgetOld();
    return ((await database().drafts.get(own)) ?? (await adoptDraft(userId, name, own)))?.form;
  });
}

type DraftKeeper = {
  /** What is written now; null when nothing is left of it. */
  change(form: unknown): void;
  /** Keeps the last change now, without waiting for more. */
  flush(): void;
  /** Lets the draft go for good: nothing is kept any more. */
  drop(): void;
};

/**
 * Keeps what this user writes in the form `name` (a word without spaces) of this tab, a moment after each change. A
 * device that cannot is silent.
 */
export function createDraftKeeper(userId: number, name: string): DraftKeeper {
  let unsaved: { form: unknown } | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isDone = false;

  function store(form: unknown): void {
    inTurn(async () => {
      const key = await ownKey(userId, name);
      if (key !== null) await write(key, form);
    }).catch(() => undefined);
  }

  function flush(): void {
    clearTimeout(timer);
    if (unsaved === null) return;
    store(unsaved.form);
    unsaved = null;
  }

  return {
    change(form) {
      if (isDone) return;
      unsaved = { form };
      clearTimeout(timer);
      timer = setTimeout(flush, DRAFT_KEPT_AFTER_MS);
    },
    flush,
    drop() {
      isDone = true;
      unsaved = null;
      clearTimeout(timer);
      store(null);
    },
  };
}
