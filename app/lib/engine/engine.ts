import { atom } from 'jotai';
import { store } from '#app/lib/store.ts';
import type { User } from '#shared/accounts/schema.ts';
import type { ConnectionState } from '#sync/client/connection.ts';
import type { EngineEvent } from '#sync/client/emitter.ts';
import type { Engine } from '#sync/client/engine.ts';
import { type Observable, observable } from '#sync/client/observable.ts';
import type { Session } from '#sync/client/session/session-context.ts';
import type { HydratableObservable } from './use-observable.ts';

/** Null until the engine's chunk has loaded. */
export const engineState = observable<Engine | null>(null);

/** An observable of the engine, with the value `initial` until the engine's chunk has loaded. */
function fromEngine<T>(select: (engine: Engine) => Observable<T>, initial: T): HydratableObservable<T> {
  const source = () => {
    const engine = engineState.get();
    return engine && select(engine);
  };
  return {
    get: () => source()?.get() ?? initial,
    initial: () => initial,
    subscribe(listener) {
      let unsubscribe = source()?.subscribe(listener);
      const unsubscribeState = engineState.subscribe(() => {
        unsubscribe?.();
        unsubscribe = source()?.subscribe(listener);
        listener();
      });
      return () => {
        unsubscribeState();
        unsubscribe?.();
      };
    },
  };
}

export const sessionState = fromEngine<Session>((engine) => engine.session, { status: 'loading' });

export const connectionState = fromEngine<ConnectionState>((engine) => engine.connection, {
  phase: 'checking',
});

/** Whether the server is known to be unreachable. */
export function isUnreachable({ phase }: ConnectionState): boolean {
  return phase === 'disconnected' || phase === 'failed';
}

/** Whether there are new polls since page 1 was loaded. */
export const newPollsState = fromEngine((engine) => engine.hasNewPolls, false);

/** The eviction of the app's storage by the browser, with the number of lost changes; null if there was none. */
export const evictionState = fromEngine((engine) => engine.eviction, null);

/** Whether the last session ended with a logout; the next login then leads to the start screen. */
export const hasLoggedOutAtom = atom(false);

let lastStatus: Session['status'] = 'loading';

/**
 * Keeps `hasLoggedOutAtom` up to date. An expired session keeps its user; only a logout, in this tab or another, removes the
 * user.
 */
export function observeSession({ status }: Session): void {
  if (status === 'user') store.set(hasLoggedOutAtom, false);
  else if (status === 'visitor' && lastStatus === 'user') store.set(hasLoggedOutAtom, true);
  lastStatus = status;
}

/** True when the engine could not be loaded or started. */
export const engineFailedAtom = atom(false);

type Listener = (event: EngineEvent) => void;
const listeners = new Set<Listener>();

/** Calls `listener` with the outcomes that this tab should show; returns a function that unsubscribes. */
export function onEngineEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

async function start(): Promise<Engine> {
  const [
    { createEngine },
    { browserCapabilities, watchPageEvents, trackWaitingChanges, keepImagesOfFirstVisit, showOutcomes },
  ] = await Promise.all([import('#sync/client/engine.ts'), import('#sync/client/browser.ts')]);
  const engine = createEngine(browserCapabilities());
  engine.session.subscribe(() => observeSession(engine.session.get()));
  showOutcomes(engine, (event) => {
    for (const listener of listeners) listener(event);
  });
  engineState.set(engine);
  store.set(engineFailedAtom, false);
  trackWaitingChanges(engine);
  watchPageEvents(engine);
  void keepImagesOfFirstVisit();
  await engine.start();
  return engine;
}

let startingEngine: Promise<Engine> | null = null;

/**
 * Loads the chunk of the engine, and starts the engine once. While a user is shown, resolves at once: the session check of the
 * start may wait long for the server, and a change must be stored before that.
 */
export function loadEngine(): Promise<Engine> {
  const engine = engineState.get();
  if (startingEngine !== null && engine?.session.get().status === 'user') return Promise.resolve(engine);
  startingEngine ??= start().catch((error: unknown) => {
    startingEngine = null;
    store.set(engineFailedAtom, true);
    throw error;
  });
  return startingEngine;
}

/** Stores a user from a response, unless that user has logged out in the meantime. */
export async function storeUser(user: User): Promise<void> {
  const engine = engineState.get();
  const session = engine?.session.get();
  if (session?.status === 'user' && session.user.id === user.id) await engine?.setUser(user);
}

/** Starts loading the engine; a failure sets `engineFailedAtom`. */
export function startEngine(): void {
  store.set(engineFailedAtom, false);
  loadEngine().catch(() => undefined);
}
