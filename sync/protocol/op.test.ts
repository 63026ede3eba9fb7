import { expect, test } from 'vitest';
import { needsDecision } from './op.ts';

test('only refused ops need a decision', () => {
  const states = ['queued', 'sending', 'blocked_auth', 'rejected', 'needs_attention'] as const;
  expect(states.filter((state) => needsDecision({ state }))).toEqual(['rejected', 'needs_attention']);
});
