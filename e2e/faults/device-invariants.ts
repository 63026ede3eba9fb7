import type { Database } from '#api/db/client.ts';
import type { Op } from '#sync/operations/registry.ts';
import { needsDecision } from '#sync/protocol/op.ts';
import type { Device } from './device.ts';
import type { World } from './world.ts';

type Receipt = { key: string; userId: number; status: number; code: string | null };

/** Describes violations by the devices: lost ops, wrong reports of outcomes, and those detected during the history. */
export async function checkDevices(db: Database, devices: readonly Device[]): Promise<string[]> {
  const violations: string[] = [];
  const receipts = await db.sql<Receipt[]>`
    select key, user_id as "userId", status, code from mutation_receipts`;
  const receiptByKey = new Map(receipts.map((receipt) => [receipt.key, receipt]));

  for (const device of devices) {
    for (const userId of device.testUsers.keys()) {
      const name = `${device.name} of ${userId}`;
      const ops = await device.withDb(userId, (local) => local.ops.toArray());
      const durable = [...device.durableOps]
        .filter(([, opUserId]) => opUserId === userId)
        .map(([opId]) => opId);
      const remaining = new Map(ops.map((op) => [op.opId, op]));
      for (const opId of durable) {
        const mayBeDropped = device.repeatedOps.has(opId) || isSuperfluous(opId, device, receiptByKey);
        violations.push(
          ...checkOp(remaining.get(opId), receiptByKey.get(opId), name, { opId, userId, mayBeDropped }),
        );
      }
    }
    const { name } = device;
    const settled = device.events.filter(({ type }) => type !== 'delayed').map(({ op }) => op.opId);
    const reportedTwice = settled.find((opId, index) => settled.indexOf(opId) < index);
    if (reportedTwice !== undefined) {
      const reportedTypes = device.events
        .filter(({ op }) => op.opId === reportedTwice)
        .map(({ type }) => type);
      violations.push(`${name}: ${reportedTwice} was reported twice: ${reportedTypes.join(', ')}`);
    }
    violations.push(...[...device.violations, ...device.sends.violations].map((text) => `${name}: ${text}`));
  }
  return violations;
}

/**
 * Whether a vote or a change may be dropped without a message of its own: a refused one that was followed by a change that took
 * effect, or a change that was not sent because its vote was refused or discarded.
 */
function isSuperfluous(
  opId: string,
  { storedOps }: Device,
  receiptByKey: ReadonlyMap<string, Receipt>,
): boolean {
  const op = storedOps.get(opId);
  if (op?.type !== 'vote' && op?.type !== 'changeVote') return false;
  const others = [...storedOps.values()].filter(
    (other) => other.userId === op.userId && other.entityId === op.entityId && other.opId !== opId,
  );
  const codeOf = (other: Op) => receiptByKey.get(other.opId)?.code;
  if (receiptByKey.has(opId))
    return others.some(
      (other) => other.type === 'changeVote' && other.seq > op.seq && codeOf(other) === null,
    );
  const voteCodes = others.filter(({ type }) => type === 'vote').map(codeOf);
  // After the refusal `already_voted`, the changes are sent.
  const wasCounted = voteCodes.some((code) => code === null || code === 'already_voted');
  return op.type === 'changeVote' && voteCodes.length > 0 && !wasCounted;
}

/**
 * Describes violations in notifications: one that is read, on the server or a device, although it is newer than those
 * marked as read, or one that is unread although an acknowledged op has marked it.
 */
export async function checkNotifications(db: Database, devices: readonly Device[]): Promise<string[]> {
  const violations: string[] = [];
  const rows = await db.sql<{ id: number; userId: number; isRead: boolean }[]>`
    select id::float8 as id, user_id as "userId", read_at is not null as "isRead" from notifications`;
  for (const userId of new Set(devices.flatMap(({ testUsers }) => [...testUsers.keys()]))) {
    const ownRows = rows.filter((row) => row.userId === userId);
    const markedUpTo = Math.max(0, ...devices.map((device) => device.markedUpTo.get(userId) ?? 0));
    for (const { id, isRead } of ownRows) {
      if (isRead && id > markedUpTo)
        violations.push(`notification ${id} of ${userId} is read but was never shown`);
    }
    const acknowledgedUpTo = devices.flatMap(({ events }) =>
      events.flatMap(({ type, op }) =>
        type === 'applied' && op.type === 'markRead' && op.userId === userId ? [op.payload.upTo] : [],
      ),
    );
    const readUpTo = Math.max(0, ...acknowledgedUpTo);
    for (const { id, isRead } of ownRows) {
      if (!isRead && id <= readUpTo) violations.push(`notification ${id} of ${userId} is unread again`);
    }
    for (const device of devices) {
      const stored = await device.withDb(userId, (local) => local.notifications.toArray());
      for (const { id, readAt } of stored) {
        if (readAt !== null && id > markedUpTo)
          violations.push(`${device.name}: notification ${id} is shown as read`);
      }
    }
  }
  return violations;
}

/** Describes violations of a durable op, after everything was sent. `op` is its entry in the queue, if it is still there. */
function checkOp(
  op: Op | undefined,
  receipt: Receipt | undefined,
  name: string,
  { opId, userId, mayBeDropped }: { opId: string; userId: number; mayBeDropped: boolean },
): string[] {
  const violations: string[] = [];
  // An op that may be dropped was queued again after a restore. If it is refused because its poll is gone, it has no receipt.
  const isSettled = receipt?.code === null || mayBeDropped;
  if (op === undefined && !isSettled) violations.push(`${name}: ${opId} is lost`);
  if (op !== undefined && !needsDecision(op))
    violations.push(`${name}: ${opId} is still waiting as ${op.state}`);
  // An older server does not know the call, and so cannot tell the outcome.
  const isOutcomeUnknown = op?.state === 'needs_attention' && op.lastError?.code === 'unknown_endpoint';
  if (op !== undefined && receipt?.code === null && !isOutcomeUnknown) {
    violations.push(`${name}: ${opId} took effect and is reported ${op.lastError?.code ?? op.state}`);
  }
  // A code that only a newer server knows is stored as `unknown`.
  const isOtherCode = receipt?.code !== op?.lastError?.code && op?.lastError?.code !== 'unknown';
  if (op?.state === 'rejected' && receipt?.code && isOtherCode) {
    violations.push(`${name}: ${opId} was ${receipt.code} and is reported ${op.lastError?.code}`);
  }
  if (receipt !== undefined && receipt.userId !== userId) {
    violations.push(`${name}: ${opId} ran as ${receipt.userId}`);
  }
  return violations;
}

/** Describes the keys that got different final responses. */
export function conflictingResponses({ finalResponses }: World): string[] {
  const conflicts = [...finalResponses].filter(([, responses]) => responses.size > 1);
  return conflicts.map(
    ([key, responses]) =>
      `the responses to ${key} were ${[...responses].map((response) => response.trim()).join(' and ')}`,
  );
}
