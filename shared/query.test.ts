import { expect, test } from 'vitest';
import { withQuery } from './query.ts';

test('a query contains the parameters that are neither null nor undefined', () => {
  const parameters = { limit: 24, offset: 0, includeCount: true, cursor: null, search: undefined };
  expect(withQuery('/api/questions', parameters)).toBe('/api/questions?limit=24&offset=0&includeCount=true');
  expect(withQuery('/api/questions', { cursor: null })).toBe('/api/questions');
});
