import type { Op } from '#sync/operations/registry.ts';
import type { Device, TestUser } from './device.ts';
import { advanceClocks, untilIdle } from './idle.ts';
import { CURRENT } from './releases.ts';
import { choosePoisonOp } from './send-monitor.ts';

/** More than enough time for all retries. */
const HEALED_WITHIN_MS = 600_000;
const CHECK_INTERVAL_MS = 5_000;
/** While a user is logged in and ops wait, the next attempt must follow within this time. */
const ATTEMPT_WITHIN_MS = 35_000;
/** The same after a response with `Retry-After`, counted from that response. */
const RETRY_AFTER_WITHIN_MS = 65_000;
/** A read that starts later than this after the acknowledgement of a poll has to include it. */
const READ_AFTER_ACK_MS = 2_001;
const READS_MAX = 3;
/** A history waits for a clock that was set back to catch up, unless it lags by more than this. */
const CLOCK_LAG_MAX_MS = 600_000;

/**
 * Ends all faults of a device and logs in each of its users, so that all waiting ops are sent. Frozen tabs thaw before
 * that, or afterwards if the other tabs have to work without them.
 */
export async function heal(device: Device, { hasRateLimits = false } = {}): Promise<void> {
  device.isOnline = true;
  device.latencyMs = 20;
  device.quota.failWrites({ after: 0, count: 0 });
  for (const tab of device.tabs) tab?.scheduleFault(null);
  const frozenBefore = device.frozenTabs.length;
  if (canAbandonFrozenTabs(device)) device.abandonFrozenTabs();
  else for (const tab of device.tabs) tab?.thaw();
  await untilIdle([device]);
  for (const testUser of device.testUsers.values()) {
    await ensureLoggedIn(device, testUser);
    await untilSent(device, testUser.user.id, { hasRateLimits });
  }
  for (const tab of device.frozenTabs.slice(frozenBefore)) tab.thaw();
  await untilIdle([device]);
}

/** Makes each user of the device detect the restore of the server, and waits until the lost ops are sent again. */
export async function detectRestore(device: Device): Promise<void> {
  for (const testUser of device.testUsers.values()) {
    await ensureLoggedIn(device, testUser);
    await (await device.tab()).engine.refreshUser();
    await untilIdle([device]);
    await untilSent(device, testUser.user.id);
  }
}

/** Whether other tabs can work while one remains frozen. Earlier releases wait for the Web Locks that it may hold. */
export function canAbandonFrozenTabs(device: Device): boolean {
  if (!device.hasSharedLock) return true;
  return [...device.tabs, ...device.frozenTabs].every((tab) => !tab || tab.release === CURRENT);
}

async function ensureLoggedIn(device: Device, testUser: TestUser): Promise<void> {
  const tab = await device.tab();
  const session = tab.engine.session.get();
  const seemsLoggedIn =
    session.status === 'user' && session.user.id === testUser.user.id && !session.needsLogin;
  // Without a broadcast channel a tab seems logged in until a call is refused.
  const isLoggedIn = seemsLoggedIn && device.hasChannel && device.session?.userId === testUser.user.id;
  if (!isLoggedIn) await device.logIn(0, testUser);
  await untilIdle([device]);
}

/**
 * Waits without further actions until all ops are sent. Records a violation if an attempt is overdue, or if one op blocks
 * others.
 */
async function untilSent(device: Device, userId: number, { hasRateLimits = false } = {}): Promise<void> {
  const { violations, sends } = device;
  const waitingOps = () =>
    device.withDb(userId, (db) =>
      db.ops.where('state').anyOf('queued', 'sending', 'blocked_auth').sortBy('seq'),
    );
  const initialOps = await waitingOps();
  // An op may be due later because of a `Retry-After`, or until the lease of a killed tab expires.
  const isDue = (op: Op) => (op.state === 'sending' ? op.leaseUntil : op.nextAttemptAt) <= device.clock.now();
  // Ops about the same poll or user are sent in order, so a later one may have to wait.
  const waitsForOther = (op: Op) =>
    initialOps.some((other) => other.entityId === op.entityId && other.seq < op.seq);
  const dueOps = initialOps.filter((op) => isDue(op) && !waitsForOther(op));
  // With rate limits an attempt may fail regardless of its op.
  sends.poison = hasRateLimits ? null : choosePoisonOp(dueOps);
  let idleMs = 0;
  for (let passedMs = 0; passedMs < HEALED_WITHIN_MS; passedMs += CHECK_INTERVAL_MS) {
    const remaining = await waitingOps();
    if (remaining.length === 0) return;
    // Only ops about the same entity remain, which have to wait for the poison op.
    if (sends.poison !== null && remaining.every(({ entityId }) => entityId === dueOps[0]?.entityId)) {
      const { opId, failures } = sends.poison;
      // Each tab has to find out separately which op fails.
      if (failures > device.tabs.length) violations.push(`${opId} blocked the others ${failures} times`);
      sends.poison = null;
    }
    const { attempts } = sends;
    await advanceClocks([device], CHECK_INTERVAL_MS);
    idleMs = sends.attempts === attempts ? idleMs + CHECK_INTERVAL_MS : 0;
    const isBackingOff = device.clock.now() - device.lastRetryAfterAt <= RETRY_AFTER_WITHIN_MS;
    if (idleMs > ATTEMPT_WITHIN_MS && !isBackingOff) {
      const ops = remaining.map(({ state, type, nextAttemptAt }) => `${type} ${state} ${nextAttemptAt}`);
      const sessions = device.tabs.map((tab) => tab && { ...tab.engine.session.get(), db: undefined });
      const details = JSON.stringify({ userId, now: device.clock.now(), ops, sessions });
      violations.push(`no attempt for ${idleMs} ms although ops are waiting: ${details}`);
      return;
    }
  }
}

/** Logs in on the device, and pulls the user and all lists. */
export async function readAll(device: Device, testUser: TestUser): Promise<void> {
  await ensureLoggedIn(device, testUser);
  const { engine } = await device.tab();
  // A logout at the same moment may have ended the new session on the server; `refreshUser` detects this.
  await engine.refreshUser();
  await ensureLoggedIn(device, testUser);
  // After the clock was set back, earlier acknowledgements count as newer than a read until the clock has caught up.
  const lagMs = device.latestMs - device.clock.now();
  const waitsForClock = lagMs > 0 && lagMs <= CLOCK_LAG_MAX_MS;
  await advanceClocks([device], READ_AFTER_ACK_MS + (waitsForClock ? lagMs : 0));
  for (let read = 1; read <= READS_MAX; read += 1) {
    if (await readLists(device)) break;
    await advanceClocks([device], 1_000);
  }
  await untilIdle([device]);
}

/** Pulls everything concurrently, as the app does at its start. False if a call failed because the machine was busy. */
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
