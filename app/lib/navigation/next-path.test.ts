import { describe, expect, test } from 'vitest';
import { safeNextPath } from './next-path.ts';

const ORIGIN = 'https://thisorthat.app';

describe('where a login leads', () => {
  test('back to the page that asked for it, query and fragment included', () => {
    expect(safeNextPath('/poll/1?from=feed#top', ORIGIN)).toBe('/poll/1?from=feed#top');
  });

  test('to the start when nothing was asked for', () => {
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
  ])('never off this origin: %j', (next) => {
    expect(new URL(safeNextPath(next, ORIGIN), ORIGIN).origin).toBe(ORIGIN);
    expect(safeNextPath(next, ORIGIN)).toBe('/');
  });

  test('never back to the login itself', () => {
    expect(safeNextPath('/auth?next=/auth', ORIGIN)).toBe('/');
  });
});
