import { expect, test, vi } from 'vitest';
import { actionOfKey, activeIndexOf, focusedIdAfter, isKeyHandledElsewhere } from './report-keys.ts';

const press = (key: string, changes = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  repeat: false,
  ...changes,
});

test('the keys K, R and S keep, remove and suspend, in upper or lower case', () => {
  expect(['k', 'K', 'r', 's', 'x', 'Enter'].map((key) => actionOfKey(press(key)))).toEqual([
    'keep',
    'keep',
    'remove',
    'suspend',
    null,
    null,
  ]);
});

test('keys with a modifier and repeated keys are ignored', () => {
  for (const property of ['ctrlKey', 'metaKey', 'altKey', 'repeat']) {
    expect(actionOfKey(press('r', { [property]: true }))).toBeNull();
  }
});

test('keys that another handler has used are ignored', () => {
  vi.stubGlobal('Element', class {});
  expect(isKeyHandledElsewhere({ target: null, defaultPrevented: false })).toBe(false);
  expect(isKeyHandledElsewhere({ target: null, defaultPrevented: true })).toBe(true);
  vi.unstubAllGlobals();
});

test('keys act on the last focused row, at first on the first one, and on none once the focused row is gone', () => {
  const rows = [{ id: 'a' }, { id: 'b' }];
  expect([null, 'b', 'gone'].map((focusedId) => activeIndexOf(rows, focusedId))).toEqual([0, 1, -1]);
});

test('after a decision keys act on the next row, or else the previous one, but on none that appears after the only row', () => {
  const rows = [{ id: 'a' }, { id: 'b' }, { id: 'c' }];
  expect(['a', 'b', 'c'].map((decided) => focusedIdAfter(rows, decided, decided))).toEqual(['b', 'c', 'b']);
  const focusedId = focusedIdAfter([{ id: 'only' }], 'only', null);
  expect(activeIndexOf([{ id: 'new' }], focusedId)).toBe(-1);
});

test('a decision about a row that has already disappeared does not change the row that keys act on', () => {
  expect(focusedIdAfter([{ id: 'a' }, { id: 'b' }], 'gone', 'b')).toBe('b');
});
