import type { Op } from '#sync/operations/registry.ts';
import type { Device, Person } from './device.ts';
import { passTime, untilQuiet } from './quiet.ts';
import { CURRENT } from './releases.ts';
import { toPoison } from './send-watch.ts';

/** Longer than any number of repetitions with their pauses. */
const HEALED_WITHIN_MS = 600_000;
const LOOK_EVERY_MS = 5_000;
/** Somebody is logged in, the server is there, something waits: the next attempt follows within this time. */
const ATTEMPT_WITHIN_MS = 35_000;
/** After an answer that named a time, counted from that answer. */
const NAMED_ATTEMPT_WITHIN_MS = 65_000;
/** A read that starts later than this after a poll was acknowledged has to know it. */
const READ_AFTER_ACK_MS = 2_001;
const READS_MAX = 3;
/** What a clock that was put back by minutes has yet to show again in a history. */
const SHOWN_AGAIN_MAX_MS = 600_000;

/**
 * The network heals, and each user of the device logs in there: all that waits goes out by itself, whatever the frozen
 * tabs hold. Those that were frozen for a while go on when it is through.
 */
export async function heal(device: Device, hasRateLimits = false): Promise<void> {
  device.isOnline = true;
  device.latencyMs = 20;
  device.room.runOut(0, 0);
  for (const tab of device.tabs) tab?.endBy(null);
  const earlier = device.frozenTabs.length;
  if (mayStayFrozen(device)) device.leaveFrozen();
  else for (const tab of device.tabs) tab?.thaw();
  await untilQuiet([device]);
  for (const person of device.people.values()) {
    await signIn(device, person);
    await untilSent(device, person.user.id, hasRateLimits);
  }
  for (const tab of device.frozenTabs.slice(earlier)) tab.thaw();
  await untilQuiet([device]);
}

/** Each user of the device hears that the server was restored: what it lacks now goes out again. */
export async function noticeRestore(device: Device): Promise<void> {
  for (const person of device.people.values()) {
    await signIn(device, person);
    await (await device.tab()).engine.refreshUser();
    await untilQuiet([device]);
    await untilSent(device, person.user.id, false);
  }
}

/** Whether the other tabs of a device get along without one that stays frozen. */
export function mayStayFrozen(device: Device): boolean {
  if (!device.hasSharedLock) return true;
  return [...device.tabs, ...device.frozenTabs].every((tab) => !tab || tab.release === CURRENT);
}

async function signIn(device: Device, person: Person): Promise<void> {
  const tab = await device.tab();
  const session = tab.engine.session.get();
  const isThere = session.status === 'user' && session.user.id === person.user.id && !session.needsLogin;
  // A tab that has not heard of a log out looks logged in, until the server has heard of it.
  const isSure = isThere && device.hasChannel && device.session?.userId === person.user.id;
  if (!isSure) await device.logIn(0, person);
  await untilQuiet([device]);
}

/** Nobody does anything but wait. Takes note when an attempt is overdue, and when one op holds up the others. */
async function untilSent(device: Device, userId: number, hasRateLimits: boolean): Promise<void> {
  const { broken, sends } = device;
  const waiting = () =>
    device.withDb(userId, (db) =>
      db.ops.where('state').anyOf('queued', 'sending', 'blocked_auth').sortBy('seq'),
    );
  const atFirst = await waiting();
  // The others may have been put off by the server itself, or wait for the lease of a tab that is gone.
  const isDue = (op: Op) => (op.state === 'sending' ? op.leaseUntil : op.nextAttemptAt) <= device.clock.now();
  // What is about the same poll or user goes after it on purpose, however often another tab tries something else meanwhile.
  const waitsForOther = (op: Op) =>
    atFirst.some((other) => other.entityId === op.entityId && other.seq < op.seq);
  const due = atFirst.filter((op) => isDue(op) && !waitsForOther(op));
  // A refused call tells nothing of the op that it was for.
  sends.poison = hasRateLimits ? null : toPoison(due);
  let idleMs = 0;
  for (let passedMs = 0; passedMs < HEALED_WITHIN_MS; passedMs += LOOK_EVERY_MS) {
    const left = await waiting();
    if (left.length === 0) return;
    // What is about the same poll goes after it on purpose.
    if (sends.poison !== null && left.every(({ entityId }) => entityId === due[0]?.entityId)) {
      const { opId, failures } = sends.poison;
      // Each tab learns for itself who fails.
      if (failures > device.tabs.length) broken.push(`${opId} held up the others ${failures} times`);
      sends.poison = null;
    }
    const { attempts } = sends;
    await passTime([device], LOOK_EVERY_MS);
    idleMs = sends.attempts === attempts ? idleMs + LOOK_EVERY_MS : 0;
    const isPutOff = device.clock.now() - device.lastPutOffAt <= NAMED_ATTEMPT_WITHIN_MS;
    if (idleMs > ATTEMPT_WITHIN_MS && !isPutOff) {
      const ops = left.map(({ state, type, nextAttemptAt }) => `${type} ${state} ${nextAttemptAt}`);
      const sessions = device.tabs.map((tab) => tab && { ...tab.engine.session.get(), db: undefined });
      const found = JSON.stringify({ userId, now: device.clock.now(), ops, sessions });
      broken.push(`nothing was tried for ${idleMs} ms though something waits: ${found}`);
      return;
    }
  }
}

/** A user opens the device and reads all that the server has for them. */
export async function readAll(device: Device, person: Person): Promise<void> {
  await signIn(device, person);
  const { engine } = await device.tab();
  // A log out at the moment of the login may have ended the new session on the server.
  await engine.refreshUser();
  await signIn(device, person);
  // After a step back by a minute what was acknowledged before it counts as newer than a read for as long.
  const aheadMs = device.latestMs - device.clock.now();
  const isShownAgain = aheadMs > 0 && aheadMs <= SHOWN_AGAIN_MAX_MS;
  await passTime([device], READ_AFTER_ACK_MS + (isShownAgain ? aheadMs : 0));
  for (let time = 1; time <= READS_MAX && !(await readLists(device)); time += 1)
    await passTime([device], 1_000);
  await untilQuiet([device]);
}

/** Reads all at once, as an app does that has just been opened. False when the server, on a busy machine, could not answer. */
async function readLists(device: Device): Promise<boolean> {
  const { engine } = await device.tab();
  const results = await Promise.all([
    engine.refreshUser(),
    engine.pullFeed(),
    engine.pullMine(),
    engine.pullTrending(),
    // Earlier releases have no deck.
    'pullDeck' in engine && engine.pullDeck([]),
  ]);
  return !results.some((result) => result === 'unreachable' || result === 'failed');
}
