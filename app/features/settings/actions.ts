import { request } from '#app/lib/api/api-client.ts';
import { mayHaveTakenEffect } from '#app/lib/api/api-error.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';
import { loadEngine, storeUser } from '#app/lib/engine/engine.ts';
import { logWarning } from '#app/lib/log.ts';
import { dismissTopic, showToast } from '#app/lib/toasts.ts';
import { readUser, updateUser } from '#shared/accounts/contract.ts';

/** Fetches the blocked users into the cache. If that fails, the cache remains unchanged. */
export async function pullBlocks(): Promise<void> {
  await (await loadEngine()).pullBlocks().catch(() => undefined);
}

export async function unblock(username: string): Promise<void> {
  dismissTopic('hide');
  try {
    await (await loadEngine()).queue({ type: 'unblock', payload: { username } });
  } catch (error) {
    showToast('error', `${username} was not unblocked`, errorMessage(error), { topic: 'hide' });
  }
}

/** Switches the weekly mail on or off for the account. On failure a toast says so. */
export async function switchWeeklyMail(userId: number, isOn: boolean): Promise<void> {
  dismissTopic('account');
  try {
    await storeUser(await request(updateUser, { json: { weeklyMail: isOn }, userId }));
  } catch (error) {
    // The server may have stored the change although its response was lost.
    const isNowOn = await refreshWeeklyMail(userId).catch(() => undefined);
    if (isNowOn === isOn) return;
    const isUnknown = isNowOn === undefined && mayHaveTakenEffect(error);
    const title = `The weekly email ${isUnknown ? 'may not have been' : 'was not'} turned ${isOn ? 'on' : 'off'}`;
    showToast('error', title, errorMessage(error), { topic: 'account' });
  }
}

/** Fetches and stores the user; returns whether the weekly mail is on, undefined from a server older than it. */
async function refreshWeeklyMail(userId: number): Promise<boolean | undefined> {
  const user = await request(readUser, { userId });
  await storeUser(user);
  return user.weeklyMail;
}

/** The `localStorage` key of the mail switch of version 1.0, which had no effect. */
const OLD_MAIL_SWITCH_KEY = 'notifications-email';

/** Switches the weekly mail off if the switch of version 1.0 was off on this device, and removes that setting. */
export async function carryOverMailSwitch(userId: number): Promise<void> {
  try {
    if (localStorage.getItem(OLD_MAIL_SWITCH_KEY) === 'false') {
      await request(updateUser, { json: { weeklyMail: false }, userId });
    }
    localStorage.removeItem(OLD_MAIL_SWITCH_KEY);
  } catch (error) {
    logWarning('The old mail setting of this device could not be carried over:', error);
  }
}
