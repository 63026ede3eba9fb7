import { Dexie, type EntityTable } from 'dexie';
import { DAY_MS } from '#shared/time.ts';
import { browserLock } from '#sync/client/device/lock.ts';
import { ownTabId, tabLockName } from './tab-id.ts';

/** An unfinished form. `key` consists of user id, tab and form name; `savedAt` is in milliseconds since 1970. */
type StoredDraft = { key: string; savedAt: number; form: unknown };

/** How long after the last change a draft is saved. */
export const DRAFT_SAVE_DELAY_MS = 250;

const DRAFT_TTL_MS = DAY_MS;

type DraftDb = Dexie & { drafts: EntityTable<StoredDraft, 'key'> };

let opened: DraftDb | null = null;

function database(): DraftDb {
  if (opened === null) {
    opened = new Dexie('this-or-that-drafts') as DraftDb;
    opened.version(1).stores({ drafts: 'key, savedAt' });
  }
  return opened;
}

/** The key of this tab's draft; null without storage. */
async function draftKey(userId: number, name: string): Promise<string | null> {
  const tab = await ownTabId();
  return tab === null ? null : `${userId} ${tab} ${name}`;
}

let lastTask: Promise<unknown> = Promise.resolve();

/** Runs reads and writes one at a time, in the order of the calls. */
function runInOrder<T>(task: () => Promise<T>): Promise<T> {
  const result = lastTask.then(task);
  lastTask = result.catch(() => undefined);
  return result;
}

async function write(key: string, form: unknown): Promise<void> {
  const { drafts } = database();
  await database().transaction('rw', drafts, ({ idbtrans }) => {
    const written: PromiseLike<unknown> =
      form === null ? drafts.delete(key) : drafts.put({ key, savedAt: Date.now(), form });
    // An explicit commit completes even if the page is closed right now.
    idbtrans.commit();
    return written;
  });
}

/** Moves a draft to another key; undefined when another tab has already moved it. */
function move(from: string, to: string): Promise<StoredDraft | undefined> {
  const { drafts } = database();
  return database().transaction('rw', drafts, async () => {
    const draft = await drafts.get(from);
    if (draft === undefined) return undefined;
    await drafts.delete(from);
    await drafts.put({ ...draft, key: to });
    return draft;
  });
}

/** Takes over the newest draft of a closed or killed tab, whose lock is free. */
async function adoptDraft(userId: number, name: string, own: string): Promise<StoredDraft | undefined> {
  const lock = browserLock();
  if (!lock.spansTabs) return undefined;
  for (const key of await database().drafts.orderBy('savedAt').reverse().primaryKeys()) {
    const [owner, tab, form] = key.split(' ');
    if (owner !== String(userId) || form !== name || tab === undefined) continue;
    let draft: StoredDraft | undefined;
    await lock.run(tabLockName(tab), async () => {
      draft = await move(key, own);
    });
    if (draft !== undefined) return draft;
  }
  return undefined;
}

/** The draft of this tab, or else of a closed one; undefined when there is none. */
export function readDraft(userId: number, name: string): Promise<unknown> {
  return runInOrder(async () => {
    const own = await draftKey(userId, name);
    if (own === null) return undefined;
    const { drafts } = database();
    const expired = drafts.where('savedAt').below(Date.now() - DRAFT_TTL_MS);
    await expired.delete();
    return ((await drafts.get(own)) ?? (await adoptDraft(userId, name, own)))?.form;
  });
}

/** Saves the content of a form that is not open. Throws when this device cannot store it. */
export function saveDraft(userId: number, name: string, form: unknown): Promise<void> {
  return runInOrder(async () => {
    const key = await draftKey(userId, name);
    if (key === null) throw new Error('This browser has no session storage');
    await write(key, form);
  });
}

/** Saves the content of the form `name` (without spaces) of this user and tab. Errors are ignored. */
export function createDraftSaver(userId: number, name: string) {
  let unsaved: { form: unknown } | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isDone = false;

  function store(form: unknown): void {
    runInOrder(async () => {
      const key = await draftKey(userId, name);
      if (key !== null) await write(key, form);
    }).catch(() => undefined);
  }

  /** Saves the last change now. */
  function flush(): void {
    clearTimeout(timer);
    if (unsaved === null) return;
    store(unsaved.form);
    unsaved = null;
  }

  return {
    /** Sets the current content; null when it is empty. */
    change(form: unknown): void {
      if (isDone) return;
      unsaved = { form };
      clearTimeout(timer);
      timer = setTimeout(flush, DRAFT_SAVE_DELAY_MS);
    },
    flush,
    /** Deletes the draft, and ignores later changes. */
    discard(): void {
      isDone = true;
      unsaved = null;
      clearTimeout(timer);
      store(null);
    },
  };
}
