import { expect, test, vi } from 'vitest';
import { actionOfKey, isKeyHandledElsewhere } from './report-keys.ts';

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

test('a key press does not decide anything while a dialog is open', () => {
  const querySelector = vi.fn();
  vi.stubGlobal('document', { querySelector });
  vi.stubGlobal('Element', class {});
  querySelector.mockReturnValue(null);
  expect(isKeyHandledElsewhere({ target: null, defaultPrevented: false })).toBe(false);
  querySelector.mockReturnValue({});
  expect(isKeyHandledElsewhere({ target: null, defaultPrevented: false })).toBe(true);
  vi.unstubAllGlobals();
});
