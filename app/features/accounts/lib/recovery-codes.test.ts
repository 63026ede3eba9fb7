import { afterEach, expect, test, vi } from 'vitest';
import { ApiError } from '#app/lib/api/api-error.ts';
import type { PasskeyList } from '#shared/accounts/passkeys/schema.ts';
import { areCodesMissing, forgetRecoveryCodes, rememberKnownCodesDuring } from './recovery-codes.ts';

const BEFORE: PasskeyList = {
  passkeys: [],
  secondStep: true,
  secondStepRequired: true,
  recoveryCodesLeft: 0,
  recoveryCodesMadeAt: null,
};
const readPasskeys = vi.fn(async () => ({
  ...BEFORE,
  recoveryCodesLeft: 10,
  recoveryCodesMadeAt: '2026-11-20T12:00:00.000Z',
}));
vi.mock('./passkeys.ts', () => ({ readPasskeys }));

afterEach(forgetRecoveryCodes);

/** Whether the codes that the server has are considered lost after `change`. */
async function areCodesMissingAfter(change: () => Promise<unknown>): Promise<boolean> {
  await rememberKnownCodesDuring(7, BEFORE, change).catch(() => undefined);
  return areCodesMissing();
}

const lose = () => Promise.reject(new ApiError(502, '', null));
const refuse = () => Promise.reject(new ApiError(429, '', null));
const cancel = async () => null;

test('new recovery codes are missing after a lost response, also if a repeated change is refused', async () => {
  expect(await areCodesMissingAfter(lose)).toBe(true);
  expect(await areCodesMissingAfter(refuse)).toBe(true);
  expect(await areCodesMissingAfter(cancel)).toBe(true);
});

test('codes made on another device are not missing after a refused or cancelled change', async () => {
  expect(await areCodesMissingAfter(refuse)).toBe(false);
  expect(await areCodesMissingAfter(cancel)).toBe(false);
  expect(readPasskeys).not.toHaveBeenCalled();
});
