import { atom } from 'jotai';
import { store } from '#app/lib/store.ts';
import { showToast } from '#app/lib/toasts.ts';
import type { ConnectionState } from '#sync/client/connection.ts';
import { type Observable, observable } from '#sync/client/observable.ts';
import type { Engine, EngineEvent, Session } from '#sync/client/types.ts';
import { EVICTED_TITLE, evictionWords } from './outbox-words.ts';

/** Null until the engine's chunk has loaded. */
export const engineState = observable<Engine | null>(null);

/** What an observable of the engine has; `before` until the engine's chunk has loaded. */
function fromEngine<T>(select: (engine: Engine) => Observable<T>, before: T): Observable<T> {
  const source = () => {
    const engine = engineState.get();
    return engine && select(engine);
  };
  return {
    get: () => source()?.get() ?? before,
    subscribe(listener) {
      const stops = [source()?.subscribe(listener)];
      stops.push(
        engineState.subscribe(() => {
          stops.push(source()?.subscribe(listener));
          listener();
        }),
      );
      return () => {
        for (const stop of stops) stop?.();
      };
    },
  };
}

/** Who the app belongs to now. */
export const sessionState = fromEngine<Session>((engine) => engine.session, { status: 'loading' });

/** What is known of the way to the server. */
export const connectionState = fromEngine<ConnectionState>((engine) => engine.connection, {
  phase: 'checking',
});

/** Whether polls were made since page 1 was loaded: the dot on Refresh. */
export const newPollsState = fromEngine((engine) => engine.hasNewPolls, false);

/** What the browser has removed from this device without being asked. */
export const evictionState = fromEngine((engine) => engine.eviction, null);

/** Whether somebody has logged out here by choice: whoever logs in next begins at the start, not where they were. */
export const hasLoggedOutAtom = atom(false);

let lastStatus: Session['status'] = 'loading';

/** A session that ended keeps its user, so one that is gone was left by choice, here or in another tab. */
export function noteLogOut({ status }: Session): void {
  if (status === 'user') store.set(hasLoggedOutAtom, false);
  else if (status === 'visitor' && lastStatus === 'user') store.set(hasLoggedOutAtom, true);
  lastStatus = status;
}

/** True when the engine could not be loaded or started: nothing can be shown then. */
export const engineFailedAtom = atom(false);

type Listener = (event: EngineEvent) => void;
const listeners = new Set<Listener>();

/** Calls `listener` with the outcomes that this tab is to tell, from whenever the engine is there; returns the way to stop. */
export function onEngineEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

async function start(): Promise<Engine> {
  const [
    { createEngine },
    { browserCapabilities, followPageEvents, followWaiting, keepImagesOfFirstVisit, showOutcomes },
  ] = await Promise.all([import('#sync/client/engine.ts'), import('#sync/client/browser.ts')]);
  const engine = createEngine(browserCapabilities());
  engine.session.subscribe(() => noteLogOut(engine.session.get()));
  engine.eviction.subscribe(() => {
    const eviction = engine.eviction.get();
    if (eviction !== null) showToast('bad', EVICTED_TITLE, evictionWords(eviction));
  });
  showOutcomes(engine, (event) => {
    for (const listener of listeners) listener(event);
  });
  engineState.set(engine);
  followWaiting(engine);
  followPageEvents(engine);
  void keepImagesOfFirstVisit();
  await engine.start();
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
