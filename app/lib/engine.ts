import { atom } from 'jotai';
import { isAdmin } from '#shared/accounts/rules.ts';
import type { ConnectionState } from '#sync/client/connection.ts';
import type { Engine, EngineEvent, Eviction, Session } from '#sync/client/types.ts';
import { EVICTED_TITLE, evictionWords } from './eviction-words.ts';
import { store } from './store.ts';
import { showToast } from './toasts.ts';

/** Who the app belongs to now, mirrored from the engine. */
export const sessionAtom = atom<Session>({ status: 'loading' });

/** Whether somebody has logged out here by choice: whoever logs in next begins at the start, not where they were. */
export const hasLoggedOutAtom = atom(false);

/** A session that ended keeps its user, so one that is gone was left by choice, here or in another tab. */
export function mirrorSession(session: Session): void {
  if (session.status === 'user') store.set(hasLoggedOutAtom, false);
  else if (session.status === 'visitor' && store.get(sessionAtom).status === 'user') {
    store.set(hasLoggedOutAtom, true);
  }
  store.set(sessionAtom, session);
}

/** Whether the signed-in user has the administrators' rights: for what is shown, the server decides for itself. */
export const isAdminAtom = atom((get) => {
  const session = get(sessionAtom);
  return session.status === 'user' && isAdmin(session.user);
});

/** What is known of the way to the server, mirrored from the engine. */
export const connectionAtom = atom<ConnectionState>({ phase: 'checking' });

/** Whether polls were made since page 1 was loaded, mirrored from the engine: the dot on Refresh. */
export const hasNewPollsAtom = atom(false);

/** What the browser has removed from this device without being asked, mirrored from the engine. */
export const evictionAtom = atom<Eviction | null>(null);

/** Null until the engine's chunk has loaded. */
export const engineAtom = atom<Engine | null>(null);

/** True when the engine could not be loaded or started: nothing can be shown then. */
export const engineFailedAtom = atom(false);

type Listener = (event: EngineEvent) => void;
const listeners = new Set<Listener>();

/** Calls `listener` with the outcomes that this tab is to tell, from whenever the engine is there; returns the way to stop. */
export function onEngineEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tellEviction(eviction: Eviction | null): void {
  store.set(evictionAtom, eviction);
  if (eviction !== null) showToast('bad', EVICTED_TITLE, evictionWords(eviction));
}

async function start(): Promise<Engine> {
  const [
    { createEngine },
    { browserCapabilities, followPageEvents, followWaiting, keepPicturesOfFirstVisit, showOutcomes },
  ] = await Promise.all([import('#sync/client/engine.ts'), import('#sync/client/browser.ts')]);
  const engine = createEngine(browserCapabilities());
  engine.session.subscribe(() => mirrorSession(engine.session.get()));
  engine.eviction.subscribe(() => tellEviction(engine.eviction.get()));
  engine.connection.subscribe(() => store.set(connectionAtom, engine.connection.get()));
  engine.hasNewPolls.subscribe(() => store.set(hasNewPollsAtom, engine.hasNewPolls.get()));
  showOutcomes(engine, (event) => {
    for (const listener of listeners) listener(event);
  });
  store.set(engineAtom, engine);
  followWaiting(engine);
  followPageEvents(engine);
  void keepPicturesOfFirstVisit();
  await engine.start();
  mirrorSession(engine.session.get());
  return engine;
}

let starting: Promise<Engine> | null = null;

/** The engine, loaded (with Dexie) beside the first paint and started once. */
export function loadEngine(): Promise<Engine> {
  starting ??= start().catch((error: unknown) => {
    starting = null;
    store.set(engineFailedAtom, true);
    throw error;
  });
  return starting;
}

/** Loads the engine at start; a failure is shown by the screen, not thrown. */
export function startEngine(): void {
  store.set(engineFailedAtom, false);
  loadEngine().catch(() => undefined);
}
