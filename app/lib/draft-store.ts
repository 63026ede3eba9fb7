import { Dexie, type EntityTable } from 'dexie';

/** What somebody was writing in one tab. `savedAt` is in milliseconds since 1970. */
type KeptDraft = { key: string; savedAt: number; form: unknown };

/** What is written is kept this long after the last key. */
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

/** Keeps a draft over a reload of this tab; forgets those of tabs that were closed. */
export async function keepDraft(userId: number, name: string, form: unknown): Promise<void> {
  const key = keyOf(userId, name);
  if (key === null) return;
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
  return key === null ? undefined : (await database().drafts.get(key))?.form;
}

export async function dropDraft(userId: number, name: string): Promise<void> {
  const key = keyOf(userId, name);
  if (key !== null) await database().drafts.delete(key);
}
