import { request } from '#app/lib/api/api-client.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';
import * as calls from '#shared/accounts/passkeys/contract.ts';
import type {
  Assertion,
  Attestation,
  CreationOptions,
  FinishSecondStepInput,
  PasskeyList,
  RequestOptions,
} from '#shared/accounts/passkeys/schema.ts';
import type { User } from '#shared/accounts/schema.ts';

/** How often conditional UI gets a new challenge: a challenge is valid for five minutes, but the field may be shown for longer. */
const AUTOFILL_CHALLENGE_RENEWAL_MS = 4 * 60_000;

/** A passkey as the user's list shows it. */
export type Passkey = PasskeyList['passkeys'][number];

const loadWebAuthn = () => import('@simplewebauthn/browser');

/** The browser could not create or use a passkey; the message is for the user. */
class PasskeyError extends Error {
  override name = 'PasskeyError';
}

/** The message to show for an error thrown by a function of this module. */
export function failureMessage(error: unknown): string {
  return error instanceof PasskeyError ? error.message : errorMessage(error);
}

/** Asks the user to choose a passkey; null when they cancel. Throws `PasskeyError`. */
async function getAssertion(options: RequestOptions): Promise<Assertion | null> {
  const { startAuthentication } = await loadWebAuthn();
  return nullIfCancelled(startAuthentication({ optionsJSON: options }) as Promise<Assertion>);
}

/** Asks the user to create a passkey; null when they cancel. Throws `PasskeyError`. */
async function createAttestation(options: CreationOptions): Promise<Attestation | null> {
  const { startRegistration } = await loadWebAuthn();
  return nullIfCancelled(startRegistration({ optionsJSON: options }) as Promise<Attestation>);
}

/** The result of a WebAuthn ceremony; null when the user cancels it. Replaces the browser's errors with `PasskeyError`. */
async function nullIfCancelled<Result>(ceremony: Promise<Result>): Promise<Result | null> {
  try {
    return await ceremony;
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    if (name === 'NotAllowedError' || name === 'AbortError') return null;
    if (name === 'InvalidStateError') {
      throw new PasskeyError('This device already has a passkey for your account.');
    }
    throw new PasskeyError('Your device could not do that. Please try again, or use another device.');
  }
}

/** Asks for a passkey to log in with; null when the user cancels. */
export async function getLoginAssertion(): Promise<Assertion | null> {
  return getAssertion(await request(calls.startPasskeyLogin, {}));
}

/**
 * Conditional UI: offers passkeys in the field's autofill until the user chooses one; null if the offer ends without a choice.
 * Throws what `request` throws.
 */
export async function getAutofillAssertion(signal: AbortSignal): Promise<Assertion | null> {
  const { startAuthentication, WebAuthnAbortService } = await loadWebAuthn();
  while (!signal.aborted) {
    const optionsJSON = await request(calls.startPasskeyLogin, { signal });
    const ceremony = startAuthentication({ optionsJSON, useBrowserAutofill: true }) as Promise<Assertion>;
    const cancel = () => WebAuthnAbortService.cancelCeremony();
    signal.addEventListener('abort', cancel, { once: true });
    let isChallengeOutdated = false;
    const timer = setTimeout(() => {
      isChallengeOutdated = true;
      cancel();
    }, AUTOFILL_CHALLENGE_RENEWAL_MS);
    const assertion = await ceremony.catch(() => null);
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
    // Null although the challenge is valid: `signal` aborted, another passkey dialog replaced the offer, or the offer failed.
    if (assertion !== null || !isChallengeOutdated) return assertion;
  }
  return null;
}

export function logIn(passkey: Assertion): Promise<User> {
  return request(calls.logInWithPasskey, { json: { passkey } });
}

/** Asks for a passkey as the second step of the login that `ticket` belongs to; null when the user cancels. */
export async function getSecondStepAssertion(ticket: string): Promise<Assertion | null> {
  return getAssertion(await request(calls.startSecondStep, { json: { ticket } }));
}

export function finishSecondStep(input: FinishSecondStepInput): Promise<User> {
  return request(calls.finishSecondStep, { json: input });
}

export function readPasskeys(userId: number): Promise<PasskeyList> {
  return request(calls.listPasskeys, { userId });
}

/** Creates and adds a passkey; null when the user cancels. Throws `confirmation_needed`. */
export async function addPasskey(userId: number): Promise<PasskeyList | null> {
  const attestation = await createAttestation(await request(calls.startPasskey, { userId }));
  return attestation && request(calls.addPasskey, { json: { passkey: attestation }, userId });
}

export function renamePasskey(userId: number, id: string, name: string): Promise<PasskeyList> {
  return request(calls.renamePasskey, { params: { id }, json: { name }, userId });
}

export function removePasskey(userId: number, id: string): Promise<PasskeyList> {
  return request(calls.removePasskey, { params: { id }, userId });
}

/** Asks for a passkey that proves who the user is; null when they cancel. */
export async function getConfirmationAssertion(userId: number): Promise<Assertion | null> {
  return getAssertion(await request(calls.startConfirmation, { userId }));
}

/** Confirms the session with a passkey; false when the user cancels. */
export async function confirmWithPasskey(userId: number): Promise<boolean> {
  const passkey = await getConfirmationAssertion(userId);
  if (passkey !== null) await request(calls.confirmIdentity, { json: { passkey }, userId });
  return passkey !== null;
}

/** Confirms the session with the password. */
export async function confirmWithPassword(userId: number, currentPassword: string): Promise<void> {
  await request(calls.confirmIdentity, { json: { currentPassword }, userId });
}

/** Switches the second step on. The response contains new recovery codes if it was off before. */
export function switchSecondStepOn(userId: number) {
  return request(calls.switchSecondStepOn, { userId });
}

export function switchSecondStepOff(userId: number): Promise<PasskeyList> {
  return request(calls.switchSecondStepOff, { userId });
}

export function renewRecoveryCodes(userId: number) {
  return request(calls.renewRecoveryCodes, { userId });
}
