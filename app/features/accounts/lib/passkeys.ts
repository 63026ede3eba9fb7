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

/** A field offers passkeys for longer than a challenge is valid (five minutes): it gets a new one before. */
const FIELD_CHALLENGE_MS = 4 * 60_000;

const loadWebAuthn = () => import('@simplewebauthn/browser');

/** Why a device has made or used no passkey; the message is for the user. */
class PasskeyError extends Error {
  override name = 'PasskeyError';
}

/** The message for an error of the functions here. */
export function failureMessage(error: unknown): string {
  return error instanceof PasskeyError ? error.message : errorMessage(error);
}

/** Has the user choose a passkey; null when they choose none. */
async function ask(options: RequestOptions): Promise<Assertion | null> {
  const { startAuthentication } = await loadWebAuthn();
  return orNull(startAuthentication({ optionsJSON: options }) as Promise<Assertion>);
}

/** Has the user make a passkey; null when they make none. */
async function make(options: CreationOptions): Promise<Attestation | null> {
  const { startRegistration } = await loadWebAuthn();
  return orNull(startRegistration({ optionsJSON: options }) as Promise<Attestation>);
}

async function orNull<Result>(ceremony: Promise<Result>): Promise<Result | null> {
  try {
    return await ceremony;
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    if (name === 'NotAllowedError' || name === 'AbortError') return null;
    if (name === 'InvalidStateError') {
      throw new PasskeyError('This device has a passkey of your account already.');
    }
    throw new PasskeyError('Your device could not do that. Please try again, or use another device.');
  }
}

/** A passkey to log in with; null when the user chooses none. */
export async function askForLogin(): Promise<Assertion | null> {
  return ask(await request(calls.startPasskeyLogin, {}));
}

/** Has the browser offer passkeys in a field, until one is chosen or `signal` aborts: then null. */
export async function askInField(signal: AbortSignal): Promise<Assertion | null> {
  const { startAuthentication, WebAuthnAbortService } = await loadWebAuthn();
  while (!signal.aborted) {
    const optionsJSON = await request(calls.startPasskeyLogin, { signal });
    const offer = startAuthentication({ optionsJSON, useBrowserAutofill: true }) as Promise<Assertion>;
    const end = () => WebAuthnAbortService.cancelCeremony();
    signal.addEventListener('abort', end, { once: true });
    let isOutdated = false;
    const timer = setTimeout(() => {
      isOutdated = true;
      end();
    }, FIELD_CHALLENGE_MS);
    const passkey = await offer.catch(() => null);
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    // Another dialog for passkeys has taken its place, or the user does not want this one.
    if (passkey !== null || !isOutdated) return passkey;
  }
  return null;
}

export function logIn(passkey: Assertion): Promise<User> {
  return request(calls.logInWithPasskey, { json: { passkey } });
}

/** A passkey of the user whose password was right; null when they choose none. */
export async function askForSecondStep(ticket: string): Promise<Assertion | null> {
  return ask(await request(calls.startSecondStep, { json: { ticket } }));
}

export function finishSecondStep(input: FinishSecondStepInput): Promise<User> {
  return request(calls.finishSecondStep, { json: input });
}

export function readPasskeys(userId: number): Promise<PasskeyList> {
  return request(calls.listPasskeys, { userId });
}

/** Makes and adds a passkey; null when the user makes none. Throws `confirmation_needed`. */
export async function addPasskey(userId: number): Promise<PasskeyList | null> {
  const attestation = await make(await request(calls.startPasskey, { userId }));
  return attestation && request(calls.addPasskey, { json: { passkey: attestation }, userId });
}

export function renamePasskey(userId: number, id: string, name: string): Promise<PasskeyList> {
  return request(calls.renamePasskey, { params: { id }, json: { name }, userId });
}

export function removePasskey(userId: number, id: string): Promise<PasskeyList> {
  return request(calls.removePasskey, { params: { id }, userId });
}

/** A passkey of the user, who confirms with it who they are; null when they choose none. */
export async function askForConfirmation(userId: number): Promise<Assertion | null> {
  return ask(await request(calls.startConfirmation, { userId }));
}

/** Confirms who the user is; false when they choose no passkey. */
export async function confirmWithPasskey(userId: number): Promise<boolean> {
  const passkey = await askForConfirmation(userId);
  if (passkey !== null) await request(calls.confirmIdentity, { json: { passkey }, userId });
  return passkey !== null;
}

export async function confirmWithPassword(userId: number, currentPassword: string): Promise<void> {
  await request(calls.confirmIdentity, { json: { currentPassword }, userId });
}

/** The response has recovery codes if the second step was off before. */
export function switchSecondStepOn(userId: number) {
  return request(calls.switchSecondStepOn, { userId });
}

export function switchSecondStepOff(userId: number): Promise<PasskeyList> {
  return request(calls.switchSecondStepOff, { userId });
}

export function renewRecoveryCodes(userId: number) {
  return request(calls.renewRecoveryCodes, { userId });
}
