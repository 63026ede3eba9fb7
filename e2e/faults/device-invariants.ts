import type { Database } from '#api/db/client.ts';
import type { Op } from '#sync/operations/registry.ts';
import { needsDecision } from '#sync/protocol/op.ts';
import type { Device } from './device.ts';
import type { World } from './world.ts';

type Receipt = { key: string; userId: number; status: number; code: string | null };

/** The invariants that only the devices can break, in words; empty when all is well. */
export async function checkDevices(db: Database, devices: readonly Device[]): Promise<string[]> {
  const broken: string[] = [];
  const receipts = await db.sql<Receipt[]>`
    select key, user_id as "userId", status, code from mutation_receipts`;
  const byKey = new Map(receipts.map((receipt) => [receipt.key, receipt]));

  for (const device of devices) {
    for (const userId of device.people.keys()) {
      const name = `${device.name} of ${userId}`;
      const ops = await device.withDb(userId, (own) => own.ops.toArray());
      const own = [...device.promised].filter(([, owner]) => owner === userId).map(([opId]) => opId);
      const left = new Map(ops.map((op) => [op.opId, op]));
      for (const opId of own) {
        const mayBeDropped = device.repeatedVotes.has(opId);
        broken.push(...judge(left.get(opId), byKey.get(opId), name, { opId, userId, mayBeDropped }));
      }
    }
    const { name } = device;
    const settled = device.events.filter(({ type }) => type !== 'delayed').map(({ op }) => op.opId);
    const twice = settled.find((opId, nth) => settled.indexOf(opId) < nth);
    if (twice !== undefined) {
      const told = device.events.filter(({ op }) => op.opId === twice).map(({ type }) => type);
      broken.push(`${name}: ${twice} was reported twice: ${told.join(', ')}`);
    }
    broken.push(...[...device.broken, ...device.sends.broken].map((text) => `${name}: ${text}`));
  }
  return broken;
}

/**
 * What is wrong with the notifications: none newer than those that were marked is read, on the server or on a device, and all
 * that an acknowledged op has marked stay read.
 */
export async function checkNotifications(db: Database, devices: readonly Device[]): Promise<string[]> {
  const broken: string[] = [];
  const rows = await db.sql<{ id: number; userId: number; isRead: boolean }[]>`
    select id::float8 as id, user_id as "userId", read_at is not null as "isRead" from notifications`;
  for (const userId of new Set(devices.flatMap(({ people }) => [...people.keys()]))) {
    const own = rows.filter((row) => row.userId === userId);
    const upTo = Math.max(0, ...devices.map(({ markedUpTo }) => markedUpTo.get(userId) ?? 0));
    for (const { id, isRead } of own) {
      if (isRead && id > upTo) broken.push(`notification ${id} of ${userId} was never shown and is read`);
    }
    const acknowledged = devices.flatMap(({ events }) =>
      events.flatMap(({ type, op }) =>
        type === 'applied' && op.type === 'markRead' && op.userId === userId ? [op.payload.upTo] : [],
      ),
    );
    const readUpTo = Math.max(0, ...acknowledged);
    for (const { id, isRead } of own) {
      if (!isRead && id <= readUpTo)
        broken.push(`notification ${id} of ${userId} was read and is not any more`);
    }
    for (const device of devices) {
      const stored = await device.withDb(userId, (local) => local.notifications.toArray());
      for (const { id, readAt } of stored) {
        if (readAt !== null && id > upTo) broken.push(`${device.name}: notification ${id} is shown as read`);
      }
    }
  }
  return broken;
}

/** What is wrong with one op that was promised, once nothing waits any more: with what is left of it, and its receipt. */
function judge(
  op: Op | undefined,
  receipt: Receipt | undefined,
  name: string,
  { opId, userId, mayBeDropped }: { opId: string; userId: number; mayBeDropped: boolean },
): string[] {
  const broken: string[] = [];
  // No receipt is kept for a poll that is not there.
  const isSettled = receipt?.code === null || mayBeDropped;
  if (op === undefined && !isSettled) broken.push(`${name}: ${opId} is lost`);
  if (op !== undefined && !needsDecision(op)) broken.push(`${name}: ${opId} still waits as ${op.state}`);
  // A server that is a release behind cannot say what has become of it: the person is told that it is not known.
  const isUnknown = op?.state === 'needs_attention' && op.lastError?.code === 'unknown_endpoint';
  if (op !== undefined && receipt?.code === null && !isUnknown) {
    broken.push(`${name}: ${opId} took effect and is reported ${op.lastError?.code ?? op.state}`);
  }
  const isToldOther = receipt?.code !== op?.lastError?.code && op?.lastError?.code !== 'unknown';
  if (op?.state === 'rejected' && receipt?.code && isToldOther) {
    broken.push(`${name}: ${opId} was ${receipt.code} and is reported ${op.lastError?.code}`);
  }
  if (receipt !== undefined && receipt.userId !== userId) {
    broken.push(`${name}: ${opId} ran as ${receipt.userId}`);
  }
  return broken;
}

/** The keys that the server has answered differently, in words. */
export function contradictions({ answers }: World): string[] {
  const different = [...answers].filter(([, said]) => said.size > 1);
  return different.map(
    ([key, said]) => `${key} was answered ${[...said].map((one) => one.trim()).join(' and ')}`,
  );
}
