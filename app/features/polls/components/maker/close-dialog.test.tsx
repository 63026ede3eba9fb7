import { renderToStaticMarkup } from 'react-dom/server';
import { beforeEach, expect, test, vi } from 'vitest';
import { engineState } from '#app/lib/engine/engine.ts';
import type { Engine } from '#sync/client/engine.ts';
import { observable } from '#sync/client/observable.ts';
import type { Session } from '#sync/client/session/session-context.ts';
import { samplePoll } from '#sync/testing/samples.ts';
import CloseDialog from './close-dialog.tsx';

beforeEach(() => {
  const session = observable<Session>({ status: 'user', user: { id: 100 }, db: {} } as Session);
  engineState.set({ session } as Partial<Engine> as Engine);
  return () => engineState.set(null);
});

test('the dialog opens outside of a secure context, where browsers have no `crypto.randomUUID`', () => {
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
  const poll = samplePoll({ isMine: true, responsesWanted: 10, votesCount: 3 });
  expect(renderToStaticMarkup(<CloseDialog poll={poll} onClose={() => {}} />)).toContain(
    '7 points come back',
  );
});
