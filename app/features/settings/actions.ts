import { request } from '#app/lib/api/api-client.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';
import { loadEngine, storeUser } from '#app/lib/engine/engine.ts';
import { logWarning } from '#app/lib/log.ts';
import { showToast } from '#app/lib/toasts.ts';
import { updateUser } from '#shared/accounts/contract.ts';

/** Loads the blocked users; without an answer those on the device stay. */
export async function pullBlocks(): Promise<void> {
  await (await loadEngine()).pullBlocks().catch(() => 'failed');
}

export async function unblock(username: string): Promise<void> {
  try {
    await (await loadEngine()).queue({ type: 'unblock', payload: { username } });
  } catch (error) {
    showToast('error', `${username} was not unblocked`, errorMessage(error), 'hide');
  }
}

/** Switches the weekly mail on or off for every device; says so when that fails. */
export async function switchWeeklyMail(userId: number, isOn: boolean): Promise<void> {
  try {
    await storeUser(await request(updateUser, { json: { weeklyMail: isOn }, userId }));
  } catch (error) {
    showToast('error', `The mail was not switched ${isOn ? 'on' : 'off'}`, errorMessage(error), 'account');
  }
}

/** Where version 1.0 kept its switch, which had no effect. */
const FORMER_MAIL_SWITCH = 'notifications-email';

/** What was switched off on this device before there was a weekly mail stays off. */
export async function carryOverMailSwitch(userId: number): Promise<void> {
  try {
    if (localStorage.getItem(FORMER_MAIL_SWITCH) === 'false') {
      await request(updateUser, { json: { weeklyMail: false }, userId });
    }
    localStorage.removeItem(FORMER_MAIL_SWITCH);
  } catch (error) {
    logWarning('The switch of the mail was not carried over:', error);
  }
}
