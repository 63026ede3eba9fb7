import type { Database } from '#api/db/client.ts';
import { needsDecision } from '#sync/client/outbox/overlay.ts';
import type { Op } from '#sync/operations/registry.ts';
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
    if (new Set(settled).size < settled.length) broken.push(`${name}: an op was reported twice`);
    broken.push(...[...device.broken, ...device.sends.broken].map((text) => `${name}: ${text}`));
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
  const isSettled = receipt !== undefined && (receipt.code === null || mayBeDropped);
  if (op === undefined && !isSettled) broken.push(`${name}: ${opId} is lost`);
  if (op !== undefined && !needsDecision(op)) broken.push(`${name}: ${opId} still waits as ${op.state}`);
  if (op !== undefined && receipt?.code === null) {
    broken.push(`${name}: ${opId} took effect and is reported ${op.lastError?.code ?? op.state}`);
  }
  if (op?.state === 'rejected' && receipt?.code && receipt.code !== op.lastError?.code) {
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
