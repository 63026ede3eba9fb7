import { renderToStaticMarkup } from 'react-dom/server';
import { beforeEach, expect, test } from 'vitest';
import { engineState } from '#app/lib/engine/engine.ts';
import type { Eviction } from '#sync/client/capabilities.ts';
import type { Engine } from '#sync/client/engine.ts';
import { observable } from '#sync/client/observable.ts';
import type { Session } from '#sync/client/session/session-context.ts';
import { EvictionNote } from './storage-note.tsx';

const render = () => renderToStaticMarkup(<EvictionNote />);
const session = observable<Session>({ status: 'loading' });
const eviction = observable<Eviction | null>(null);
const logIn = (id: number) => session.set({ status: 'user', user: { id } } as Session);

beforeEach(() => {
  engineState.set({ session, eviction } as Partial<Engine> as Engine);
  eviction.set({ userId: 7, lostChanges: 2 });
  return () => engineState.set(null);
});

test('after an eviction, the user whose data was removed sees how many changes were lost', () => {
  logIn(7);
  expect(render()).toContain('2 changes waiting on this device are lost.');
});

test('other users and visitors do not see the note', () => {
  logIn(8);
  expect(render()).toBe('');
  session.set({ status: 'visitor' });
  expect(render()).toBe('');
});

test('there is no note without an eviction', () => {
  logIn(7);
  eviction.set(null);
  expect(render()).toBe('');
});
