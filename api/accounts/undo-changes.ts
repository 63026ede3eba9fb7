import type { UndoTokenPurpose } from '#api/db/schema/mail.ts';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { closeSessionsOf } from '#api/http/session/sessions.ts';
import {
  findFirstUndoableChange,
  type StoredToken,
  voidLaterUndoLinks,
  voidPasskeyUndoLinks,
} from '#api/mail/email-tokens.ts';
import { unqueueLaterUndos } from '#api/mail/mail-queue.ts';
import type { MessageResponse } from '#shared/accounts/schema.ts';
import { restoreEmail } from './email-changes.ts';
import { cancelDeletion } from './leaving/request-deletion.ts';
import { discardChallenges } from './passkeys/challenges.ts';
import { discardPasskeys } from './passkeys/change-passkeys.ts';
import { disableSecondStepSince } from './passkeys/second-step.ts';
import { type LockedUser, lockUserOfToken } from './queries.ts';

type UndoResult = MessageResponse & { userId: number };

/**
 * Undoes a change of the email, whether requested or confirmed, and all later ones, with the token of a mail to the former
 * address. If there is anything to undo, also undoes later changes to passkeys, second step and recovery codes and cancels a
 * requested deletion of the account (the mails about them may have gone to the other address). Ends every session in any case.
 * Throws `invalid_token` or `taken`.
 */
export async function undoEmailChange(deps: Deps, token: string): Promise<UndoResult> {
  const userId = await undo(deps, token, 'undo-email', async (tx, user, { email, createdAt }) => {
    if (!isEmailChanged(user, email)) return;
    await restoreEmail(tx, user, email);
    await undoSince(tx, { ...user, email }, createdAt);
  });
  return {
    userId,
    message:
      'The change of email has been undone, and you have been logged out on every device. If you did not ask for it, choose a new password now.',
  };
}

/**
 * With the token of a mail about a change to passkeys or the second step, undoes that change, all later ones, and earlier ones
 * that the same address can still undo: an attacker who adds a passkey and then switches on the second step causes two mails, and
 * the link of either undoes both. Also deletes recovery codes made since, restores the email, cancels a requested deletion of
 * the account, and ends every session. Voids all tokens of this kind sent to the same address. Throws `invalid_token` or `taken`.
 */
export async function undoPasskeys(deps: Deps, token: string): Promise<UndoResult> {
  const userId = await undo(deps, token, 'undo-passkeys', async (tx, user, storedToken) => {
    const since = await findFirstUndoableChange(tx, storedToken);
    if (isEmailChanged(user, storedToken.email)) await restoreEmail(tx, user, storedToken.email);
    await undoSince(tx, { ...user, email: storedToken.email }, since);
    await voidPasskeyUndoLinks(tx, storedToken);
  });
  return {
    userId,
    message:
      'The new passkeys have been removed, a second step turned on with them is off again, and you have been logged out on every device. Whoever added them knows your password: choose a new one now.',
  };
}

/**
 * Runs `work` with the row of the token's user locked, then voids the links to other addresses that undo later changes, and
 * ends the user's sessions. Returns the user's id.
 */
async function undo(
  { db, live, mails }: Deps,
  token: string,
  purpose: UndoTokenPurpose,
  work: (tx: Transaction, user: LockedUser, storedToken: StoredToken) => Promise<void>,
): Promise<number> {
  const userId = await inTransaction(db, async (tx) => {
    const { user, storedToken } = await lockUserOfToken(tx, token, purpose);
    await work(tx, user, storedToken);
    await unqueueLaterUndos(tx, storedToken);
    await voidLaterUndoLinks(tx, storedToken);
    await closeSessionsOf(tx, user.id);
    return user.id;
  });
  mails.wake();
  live.publish({ type: 'sessions', userId });
  return userId;
}

/**
 * Undoes changes made at `since` (a timestamp) or later: removes new passkeys and recovery codes, and switches off a new second
 * step. Also cancels all unfinished logins and any requested deletion of the account. The mails about this go to `user.email`,
 * which has to be the restored one.
 */
async function undoSince(tx: Transaction, user: LockedUser, since: string): Promise<void> {
  const restored = await disableSecondStepSince(tx, user, since);
  await discardPasskeys(tx, restored, since);
  await discardChallenges(tx, user.id);
  await cancelDeletion(tx, user.id);
}

function isEmailChanged(user: LockedUser, email: string): boolean {
  return user.email !== email || user.pendingEmail !== null;
}
