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

let openDb: DraftDb | null = null;

function database(): DraftDb {
  // Dexie does not try again to open a database that it could not open.
  if (openDb === null || openDb.hasFailed()) {
    openDb = new Dexie('this-or-that-drafts') as DraftDb;
    openDb.version(1).stores({ drafts: 'key, savedAt' });
  }
  return openDb;
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

/** Moves a draft to another key; undefined if another tab has already moved it. */
function moveDraft(fromKey: string, toKey: string): Promise<StoredDraft | undefined> {
  const { drafts } = database();
  return database().transaction('rw', drafts, async () => {
    const draft = await drafts.get(fromKey);
    if (draft === undefined) return undefined;
    await drafts.delete(fromKey);
    await drafts.put({ ...draft, key: toKey });
    return draft;
  });
}

/** Takes over the newest draft of a closed or killed tab, whose lock is free. */
async function adoptDraft(userId: number, name: string, ownKey: string): Promise<StoredDraft | undefined> {
  const lock = browserLock();
  if (!lock.spansTabs) return undefined;
  for (const key of await database().drafts.orderBy('savedAt').reverse().primaryKeys()) {
    const [draftUserId, tab, draftName] = key.split(' ');
    if (draftUserId !== String(userId) || draftName !== name || tab === undefined) continue;
    let draft: StoredDraft | undefined;
    await lock.run(tabLockName(tab), async () => {
      draft = await moveDraft(key, ownKey);
    });
    if (draft !== undefined) return draft;
  }
  return undefined;
}

/** Deletes the drafts of all users and tabs that are older than a day. */
export async function deleteExpiredDrafts(): Promise<void> {
  await database()
    .drafts.where('savedAt')
    .below(Date.now() - DRAFT_TTL_MS)
    .delete();
}

/** The draft of this tab, or else of a closed tab; undefined if there is none. */
export function readDraft(userId: number, name: string): Promise<unknown> {
  return runInOrder(async () => {
    const ownKey = await draftKey(userId, name);
    if (ownKey === null) return undefined;
    await deleteExpiredDrafts().catch(() => undefined);
    return ((await database().drafts.get(ownKey)) ?? (await adoptDraft(userId, name, ownKey)))?.form;
  });
}

/** Saves the content of a form; null deletes it. Throws if this device cannot store it. */
export function saveDraft(userId: number, name: string, form: unknown): Promise<void> {
  return runInOrder(async () => {
    const key = await draftKey(userId, name);
    if (key === null) throw new Error('This browser has no session storage');
    const { drafts } = database();
    await database().transaction('rw', drafts, ({ idbtrans }) => {
      const written: PromiseLike<unknown> =
        form === null ? drafts.delete(key) : drafts.put({ key, savedAt: Date.now(), form });
      // An explicit commit completes even if the page is closed right now.
      idbtrans.commit();
      return written;
    });
  });
}

type OnSaved = () => void | Promise<void>;

/** Saves the content of the form `name` (without spaces) of this user and tab. Errors are ignored. */
export function createDraftSaver(userId: number, name: string) {
  let unsaved: { form: unknown; onSaved: OnSaved | undefined } | null = null;
  let lastSave: Promise<void> = Promise.resolve();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isDiscarded = false;
  function save(form: unknown, onSaved?: OnSaved): void {
    lastSave = saveDraft(userId, name, form).then(onSaved, () => undefined);
  }

  /** Saves the last change now. Resolves once it is stored and `onSaved` has ended, or it could not be stored. */
  function flush(): Promise<void> {
    clearTimeout(timer);
    if (unsaved !== null) save(unsaved.form, unsaved.onSaved);
    unsaved = null;
    return lastSave;
  }

  return {
    /** Sets the current content; null when it is empty. `onSaved` is called after exactly this content was stored. */
    change(form: unknown, onSaved?: OnSaved): void {
      if (isDiscarded) return;
      unsaved = { form, onSaved };
      clearTimeout(timer);
      timer = setTimeout(flush, DRAFT_SAVE_DELAY_MS);
    },
    flush,
    /** Deletes the draft, and ignores later changes. */
    discard(): void {
      isDiscarded = true;
      unsaved = null;
      clearTimeout(timer);
      save(null);
    },
  };
}
