import { renderToStaticMarkup } from 'react-dom/server';
import { beforeEach, expect, test } from 'vitest';
import { evictionAtom, sessionAtom } from '#app/lib/engine.ts';
import { store } from '#app/lib/store.ts';
import type { Session } from '#sync/client/types.ts';
import { EvictionNote } from './storage-note.tsx';

const render = () => renderToStaticMarkup(<EvictionNote />);
const signIn = (id: number) => store.set(sessionAtom, { status: 'user', user: { id } } as Session);

beforeEach(() => {
  store.set(evictionAtom, { userId: 7, lostChanges: 2 });
});

test('whoever has lost changes is told how many', () => {
  signIn(7);
  expect(render()).toContain('2 changes that waited on this device are lost.');
});

test('nobody else is told, nor is a visitor', () => {
  signIn(8);
  expect(render()).toBe('');
  store.set(sessionAtom, { status: 'visitor' });
  expect(render()).toBe('');
});

test('nothing is told where nothing was removed', () => {
  signIn(7);
  store.set(evictionAtom, null);
  expect(render()).toBe('');
});
