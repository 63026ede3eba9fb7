import type { Database } from '#api/db/client.ts';
import type { Device } from './device.ts';

type Receipt = { key: string; userId: number; status: number; code: string | null };

/** The invariants that only the devices can break, in words; empty when all is well. */
export async function checkDevices(db: Database, devices: readonly Device[]): Promise<string[]> {
  const broken: string[] = [];
  const receipts = await db.sql<Receipt[]>`
    select key, user_id as "userId", status, code from mutation_receipts`;
  const byKey = new Map(receipts.map((receipt) => [receipt.key, receipt]));

  for (const device of devices) {
    const name = `${device.name} of ${device.user.id}`;
    const ops = await device.withDb((own) => own.ops.toArray());
    const left = new Map(ops.map((op) => [op.opId, op]));

    for (const opId of device.promised) {
      const op = left.get(opId);
      const receipt = byKey.get(opId);
      if (op === undefined && receipt?.code !== null) broken.push(`${name}: ${opId} is lost`);
      if (op !== undefined && op.state !== 'rejected' && op.state !== 'needs_attention') {
        broken.push(`${name}: ${opId} still waits as ${op.state}`);
      }
      if (op?.state === 'rejected' && receipt !== undefined && receipt.code === null) {
        broken.push(`${name}: ${opId} took effect and is reported ${op.lastError?.code}`);
      }
      if (op?.state === 'rejected' && receipt?.code && receipt.code !== op.lastError?.code) {
        broken.push(`${name}: ${opId} was ${receipt.code} and is reported ${op.lastError?.code}`);
      }
      if (receipt !== undefined && receipt.userId !== device.user.id) {
        broken.push(`${name}: ${opId} ran as ${receipt.userId}`);
      }
    }
    const settled = device.events.filter(({ type }) => type !== 'delayed').map(({ op }) => op.opId);
    if (new Set(settled).size < settled.length) broken.push(`${name}: an op was reported twice`);
    broken.push(...device.broken.map((text) => `${name}: ${text}`));
    broken.push(...(await differences(db, device)).map((text) => `${name}: ${text}`));
  }
  return broken;
}

/** Where a device that has nothing more to send and has read everything differs from the server. */
async function differences(db: Database, device: Device): Promise<string[]> {
  const found: string[] = [];
  const [user] = await db.sql<[{ points: number }]>`select points from users where id = ${device.user.id}`;
  const own = await device.withDb(async (local) => ({
    mine: await local.mine.toArray(),
    polls: await local.polls.toArray(),
    user: await local.user.get(device.user.id),
  }));
  if (own.user?.points !== user.points) found.push(`${own.user?.points} points instead of ${user.points}`);
  const mine = await db.sql<{ id: string }[]>`select id from polls where user_id = ${device.user.id}`;
  const known = new Set(own.mine.map(({ pollId }) => pollId));
  if (mine.length !== known.size || mine.some(({ id }) => !known.has(id))) found.push('own polls differ');
  const rows = await db.sql<{ id: string; votes1: number; votes2: number; option: 1 | 2 | null }[]>`
    select polls.id, votes1, votes2, votes.option from polls
    left join votes on votes.poll_id = polls.id and votes.user_id = ${device.user.id}
    where polls.id in (select id from polls where active order by created_at desc nulls last, id desc limit 24)`;
  for (const row of rows) {
    const poll = own.polls.find(({ id }) => id === row.id);
    if (poll === undefined) found.push(`${row.id} is missing`);
    else if (poll.votesCount !== row.votes1 + row.votes2) found.push(`${row.id}: other counts`);
    else if ((poll.votes[0]?.option ?? null) !== row.option) found.push(`${row.id}: another vote`);
  }
  return found;
}
