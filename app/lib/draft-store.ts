import { Dexie, type EntityTable } from 'dexie';

/** What somebody was writing in one tab. `savedAt` is in milliseconds since 1970. */
type KeptDraft = { key: string; savedAt: number; form: unknown };

/** What is written is kept this long after the last key, unless it has to be at once. */
export const DRAFT_KEPT_AFTER_MS = 250;

const TAB_KEY = 'tab';
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

/** A reload keeps the tab's name, another tab has its own: a draft never shows in two. Null without storage. */
function keyOf(userId: number, name: string): string | null {
  try {
    const tab = sessionStorage.getItem(TAB_KEY) ?? crypto.randomUUID();
    sessionStorage.setItem(TAB_KEY, tab);
    return `${userId} ${tab} ${name}`;
  } catch {
    return null;
  }
}

let lastWork: Promise<unknown> = Promise.resolve();

/** One after the other: what is read is what was written last, and an older draft never comes after a newer one. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const done = lastWork.then(work);
  lastWork = done.catch(() => undefined);
  return done;
}

/** Keeps a draft over a reload of this tab; forgets those of tabs that were closed. */
async function putDraft(key: string, form: unknown): Promise<void> {
  const now = Date.now();
  await database().drafts.put({ key, savedAt: now, form });
  await database()
    .drafts.where('savedAt')
    .below(now - KEPT_FOR_MS)
    .delete();
}

/** The draft of this tab, as it was kept; undefined when there is none. */
export async function readDraft(userId: number, name: string): Promise<unknown> {
  const key = keyOf(userId, name);
  return key === null ? undefined : inTurn(async () => (await database().drafts.get(key))?.form);
}

type DraftKeeper = {
  /** What is written now; null when nothing is left of it. */
  change(form: unknown): void;
  /** Keeps the last change now, without waiting for more. */
  flush(): void;
  /** Lets the draft go for good: nothing is kept any more. */
  drop(): void;
};

/** Keeps what this user writes under `name` in this tab, a moment after each change. A device that cannot is silent. */
export function createDraftKeeper(userId: number, name: string): DraftKeeper {
  const key = keyOf(userId, name);
  let unsaved: { form: unknown } | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isDone = false;

  function store(form: unknown): void {
    if (key === null) return;
    inTurn(() => (form === null ? database().drafts.delete(key) : putDraft(key, form))).catch(
      () => undefined,
    );
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
