import type { Option } from '#shared/polls/schema.ts';
import { needsDecision } from '#sync/client/overlay.ts';
import type { Device } from './device.ts';
import { pollDraft } from './poll-draft.ts';

/** What people do with a tab of a device; `nth` is the tab. All of it is nothing where nobody is signed in. */

export function vote(device: Device, nth: number, pollIds: readonly string[], option: Option): Promise<void> {
  return device.act(nth, ({ engine }) => Promise.all(pollIds.map((id) => engine.castVote(id, option))));
}

export function create(device: Device, nth: number, responsesWanted: number, title: string): Promise<void> {
  return device.act(nth, ({ engine }) => engine.createPoll(pollDraft(responsesWanted, title)));
}

/** Discards the op at `place` of the queue, if it may be discarded. */
export function discard(device: Device, nth: number, place: number): Promise<void> {
  return device.act(nth, async ({ engine }, db) => {
    const ops = await db.ops.toArray();
    const op = ops[place % Math.max(1, ops.length)];
    if (op !== undefined && (await engine.discard(op.opId))) withdraw(device, op.opId);
  });
}

/** Tries the first refused op again, edited if it is a poll and `isEdited`. */
export function tryAgain(device: Device, nth: number, isEdited: boolean): Promise<void> {
  return device.act(nth, async ({ engine }, db) => {
    const op = await db.ops.filter(needsDecision).first();
    if (op?.type === 'createPoll' && isEdited) await engine.createPoll(pollDraft(10, 'edited'), op.opId);
    else if (op !== undefined) await engine.tryAgain(op.opId);
  });
}

export function logOut(device: Device, nth: number, waiting: 'keep' | 'discard'): Promise<void> {
  return device.act(nth, async ({ engine }, db, user) => {
    const ops = await db.ops.toArray();
    await engine.logOut(waiting);
    device.shown.forget(user.id);
    if (waiting === 'keep') return;
    for (const op of ops) if (!needsDecision(op)) withdraw(device, op.opId);
  });
}

function withdraw({ promised, sends }: Device, opId: string): void {
  promised.delete(opId);
  sends.withdraw(opId);
}
