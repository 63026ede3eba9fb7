import { describe, expect, test } from 'vitest';
import { safeNextPath } from './next-path.ts';

const ORIGIN = 'https://thisorthat.app';

describe('the path after a login', () => {
  test('is the page that required the login, with query and fragment', () => {
    expect(safeNextPath('/poll/1?from=feed#top', ORIGIN)).toBe('/poll/1?from=feed#top');
  });

  test('is the start screen without a `next` parameter', () => {
    expect(safeNextPath(null, ORIGIN)).toBe('/');
    expect(safeNextPath('', ORIGIN)).toBe('/');
  });

  test.each([
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    'home',
    '/\t/evil.example',
    '/\n/evil.example',
    '/.//evil.example',
  ])('is the start screen if `next` is not a path on this origin: %j', (next) => {
    expect(new URL(safeNextPath(next, ORIGIN), ORIGIN).origin).toBe(ORIGIN);
    expect(safeNextPath(next, ORIGIN)).toBe('/');
  });

  test('is never the login screen', () => {
    expect(safeNextPath('/auth?next=/auth', ORIGIN)).toBe('/');
  });
});
