import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test, vi } from 'vitest';
import type { PasskeyList } from '#shared/accounts/passkeys/schema.ts';

// An imported module calls `matchMedia` when it is loaded.
vi.stubGlobal('matchMedia', () => Object.assign(new EventTarget(), { matches: false }));
const { RemovePasskeyDialog } = await import('./passkey-dialogs.tsx');

const createdAt = '2026-11-20T12:00:00.000Z';
const passkey = { id: 'a', name: 'My phone', createdAt, lastUsedAt: null, isBackedUp: true };
const other = { ...passkey, id: 'b', name: 'My laptop' };

function dialogText(...passkeys: PasskeyList['passkeys']): string {
  const list: PasskeyList = {
    passkeys,
    secondStep: true,
    secondStepRequired: false,
    recoveryCodesLeft: 10,
    recoveryCodesMadeAt: createdAt,
  };
  return renderToStaticMarkup(
    <RemovePasskeyDialog passkey={passkey} userId={1} list={list} onRemove={() => {}} onClose={() => {}} />,
  );
}

test('the warning about the last passkey is shown only if no other one remains', () => {
  expect(dialogText(passkey)).toContain('It is your last one');
  expect(dialogText(passkey, other)).not.toContain('It is your last one');
  // This passkey was removed on another device.
  expect(dialogText(other)).not.toContain('It is your last one');
});
