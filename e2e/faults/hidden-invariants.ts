import { readDeck } from '#sync/client/cache/deck-reads.ts';
import { readBlockedUsers, readPollsTab } from '#sync/client/cache/reads.ts';
import { hiddenViewOf, readHidden } from '#sync/client/outbox/hidden.ts';
import { operationOf } from '#sync/operations/registry.ts';
import type { Device } from './device.ts';
import type { ServerLists } from './differences.ts';
import { untilIdle } from './idle.ts';
import type { World } from './world.ts';

/**
 * Describes violations in the lists of polls, the deck and the list of blocked users that a device shows one of its users:
 * a shown poll that they have reported or whose maker they have blocked, or a missing poll. The user has to be logged in,
 * and all lists pulled.
 */
export async function checkHidden(
  { test: { db } }: World,
  device: Device,
  userId: number,
  { feed, trending, deck }: ServerLists,
): Promise<string[]> {
  const violations: string[] = [];
  const { engine } = await device.tab();
  const { shownIds, deckIds, undecidedHidden, opEntityIds } = await device.withDb(userId, async (local) => {
    const view = await readPollsTab(local, Date.now());
    const ops = await local.ops.orderBy('seq').toArray();
    const hidden = await readHidden(local, ops);
    return {
      deckIds: new Set((await readDeck(local, Date.now(), [])).open.map(({ poll }) => poll.id)),
      // The deck also leaves out polls of refused votes.
      opEntityIds: new Set(ops.map(({ entityId }) => entityId)),
      shownIds: new Set([...view.trending, ...view.latest].map(({ poll }) => poll.id)),
      // A report that needs a decision hides its poll only on this device.
      undecidedHidden: new Map([...hidden].filter(([, { op }]) => op !== null)),
    };
  });
  const hidden = await db.sql<{ id: string }[]>`
    select id from polls where user_id is distinct from ${userId}
      and (exists (select from poll_reports where poll_id = polls.id and user_id = ${userId} and not is_taken_back)
        or exists (select from user_blocks where user_id = ${userId} and blocked_id = polls.user_id))`;
  for (const { id } of hidden) {
    if (shownIds.has(id) || deckIds.has(id)) violations.push(`${id} is shown although it is hidden`);
  }
  for (const poll of [...feed, ...trending]) {
    const isHidden = hiddenViewOf(poll, undecidedHidden) !== null;
    const isShown = shownIds.has(poll.id);
    if (isShown && isHidden) violations.push(`${poll.id} is shown although it is hidden`);
    if (!isShown && !isHidden) violations.push(`${poll.id} is not shown`);
  }

  if ('pullDeck' in engine) {
    for (const poll of deck.data) {
      const isLeftOut = opEntityIds.has(poll.id) || hiddenViewOf(poll, undecidedHidden) !== null;
      if (!isLeftOut && !deckIds.has(poll.id)) violations.push(`${poll.id} is missing in the deck`);
    }
  }
  // Blocks are pulled after the checks of the lists, which must not depend on them. Earlier releases have no blocks.
  if ('pullBlocks' in engine) {
    await engine.pullBlocks();
    await untilIdle([device]);
    const blocked = await device.withDb(userId, readBlockedUsers);
    const confirmedNames = blocked
      .filter(({ state }) => state === 'confirmed')
      .map(({ username }) => username);
    const blocks = await db.sql<{ username: string }[]>`
      select username from user_blocks join users on users.id = blocked_id
      where user_id = ${userId} order by username`;
    const serverNames = blocks.map(({ username }) => username);
    const differing = new Set(serverNames).symmetricDifference(new Set(confirmedNames));
    // The server may have blocks that need a decision on this device.
    const undecidedNames = blocked
      .filter(({ state }) => state !== 'confirmed')
      .map(({ username }) => username);
    for (const name of differing.difference(new Set(undecidedNames)))
      violations.push(`${name} is blocked only on the ${serverNames.includes(name) ? 'server' : 'device'}`);
  }
  return violations.map((text) => `${device.name} of ${userId}: ${text}`);
}

/** Whether one device of a user hid a poll or user and another device showed it again, both acknowledged. */
export function haveOppositeVisibilityChanges(devices: readonly Device[]): boolean {
  const acknowledged = new Map<string, Map<Device, boolean>>();
  for (const device of devices) {
    for (const { type, op } of device.events) {
      const change = type === 'applied' ? operationOf(op).visibilityChange?.(op.payload) : undefined;
      if (change === undefined) continue;
      const name = `${op.userId} ${change.key}`;
      acknowledged.set(name, (acknowledged.get(name) ?? new Map()).set(device, change.isHidden));
    }
  }
  return [...acknowledged.values()].some((states) => new Set(states.values()).size > 1);
}
