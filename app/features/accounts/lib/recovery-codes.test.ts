import { Provider } from 'jotai';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '#app/lib/api/api-error.ts';
import { engineState } from '#app/lib/engine/engine.ts';
import { store } from '#app/lib/store.ts';
import type { PasskeyList } from '#shared/accounts/passkeys/schema.ts';
import { observable } from '#sync/client/observable.ts';
import type { Session } from '#sync/client/session/session-context.ts';
import { sampleUser } from '#sync/testing/samples.ts';
import {
  areCodesMissing,
  forgetRecoveryCodes,
  rememberKnownCodes,
  rememberKnownCodesDuring,
  showRecoveryCodes,
  useRecoveryCodes,
} from './recovery-codes.ts';

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

const session = observable<Session>({ status: 'visitor' });

function logIn(userId: number): void {
  session.set({ status: 'user', user: { ...sampleUser(), id: userId }, db: {} as never, needsLogin: false });
}

beforeEach(() => {
  engineState.set({ session } as never);
  logIn(7);
});
afterEach(() => {
  forgetRecoveryCodes();
  readPasskeys.mockClear();
});

/** Whether the codes that the server has are considered lost after `change`. */
async function areCodesMissingAfter(change: () => Promise<unknown>, userId = 7): Promise<boolean> {
  await rememberKnownCodesDuring(userId, BEFORE, change).catch(() => undefined);
  return areCodesMissing();
}

/** The recovery codes that are shown to a user. */
function shownCodes(userId: number): string {
  function Codes() {
    const recoveryCodes = useRecoveryCodes(userId);
    return recoveryCodes?.phase === 'new' ? recoveryCodes.codes.join(' ') : null;
  }
  return renderToStaticMarkup(createElement(Provider, { store }, createElement(Codes)));
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

test('recovery codes that arrive after a logout are neither shown later nor make the next user’s uncertain', async () => {
  showRecoveryCodes(7, ['abcd-efgh']);
  expect(shownCodes(7)).toBe('abcd-efgh');
  forgetRecoveryCodes();

  session.set({ status: 'visitor' });
  showRecoveryCodes(7, ['ijkl-mnop']);
  logIn(8);
  expect(await areCodesMissingAfter(refuse, 8)).toBe(false);
  logIn(7);
  expect(shownCodes(7)).toBe('');
});

test('known recovery codes that are remembered after a logout do not concern the next user', async () => {
  session.set({ status: 'visitor' });
  rememberKnownCodes(7, BEFORE);
  logIn(8);
  expect(await areCodesMissing()).toBe(false);
  expect(readPasskeys).not.toHaveBeenCalled();
});
