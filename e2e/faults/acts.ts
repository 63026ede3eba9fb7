import type { Option } from '#shared/polls/schema.ts';
import { type NewOperation, operationOfType } from '#sync/operations/registry.ts';
import { needsDecision } from '#sync/protocol/op.ts';
import type { Device, Person } from './device.ts';
import { pollDraft } from './poll-draft.ts';
import type { Tab } from './tab.ts';

/** What people do with a tab of a device; `nth` is the tab. All of it is nothing where nobody is logged in. */

export function vote(device: Device, nth: number, pollIds: readonly string[], option: Option): Promise<void> {
  return device.act(nth, ({ engine }) =>
    Promise.all(pollIds.map((id) => engine.queue({ type: 'vote', payload: { pollId: id, option } }))),
  );
}

/** Moves a vote to another option, where the release of the tab knows how. */
export function changeVote(device: Device, nth: number, pollId: string, option: Option): Promise<void> {
  const change = { type: 'changeVote' as const, payload: { pollId, option } };
  return device.act(nth, ({ engine }) => engine.queue(change), pollId);
}

/** What hides a poll or all polls of a user, or shows them again. */
export type HidingOperation = Extract<
  NewOperation,
  { type: 'report' | 'takeBackReport' | 'block' | 'unblock' }
>;

export const reporting = (pollId: string, isUndone: boolean): HidingOperation =>
  isUndone
    ? { type: 'takeBackReport', payload: { pollId } }
    : { type: 'report', payload: { pollId, reason: 'spam' } };

export const blocking = (username: string, isUndone: boolean): HidingOperation => ({
  type: isUndone ? 'unblock' : 'block',
  payload: { username },
});

/** Hides something or shows it again, where the release of the tab knows how. */
export function hide(device: Device, nth: number, operation: HidingOperation): Promise<void> {
  const { type, payload } = operation;
  const entityId = operationOfType(type).entityOf(payload);
  const run = async ({ engine }: Pick<Tab, 'engine'>) => {
    if ('pullBlocks' in engine) await engine.queue(operation);
  };
  return device.act(nth, run, entityId);
}

/** Shows the notifications and marks them as read, where the release of the tab has them. */
export function markRead(device: Device, nth: number): Promise<void> {
  return device.act(nth, async ({ engine }, db, user) => {
    if (!('pullNotifications' in engine)) return;
    await engine.pullNotifications();
    const newest = await db.notifications.orderBy('id').last();
    if (newest === undefined) return;
    device.markedUpTo.set(user.id, Math.max(device.markedUpTo.get(user.id) ?? 0, newest.id));
    await engine.queue({ type: 'markRead', payload: { upTo: newest.id } });
  });
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

/** Logs out, with the waiting ops that the dialog shows. */
export function logOut(device: Device, nth: number, waiting: 'keep' | 'discard'): Promise<void> {
  return device.act(nth, async (tab, db, user) => {
    const { engine } = tab;
    const ops = (await db.ops.toArray()).filter((op) => !needsDecision(op));
    tab.stayAwake();
    const shown = ops.map(({ opId }) => opId);
    const error = await engine.logOut(waiting, shown).then(
      () => null,
      (failure: unknown) => failure,
    );
    // Of a log out that is stored the next start does what is left; earlier releases do not store it.
    if (error !== null && (device.isOld || device.userOf(tab) !== null)) throw error;
    device.shown.forget(user.id);
    device.forgetUnrepeated();
    const kept = await device.withDb(user.id, (own) => own.acknowledged.toCollection().primaryKeys());
    for (const opId of kept) device.leftBehind.add(opId);
    if (waiting === 'keep') return;
    // Where somebody else was quicker this tab has discarded nothing.
    const left = new Set(error === null && !tab.isDead ? await device.opIdsOf(user.id) : []);
    for (const opId of shown) if (!left.has(opId)) withdraw(device, opId);
  });
}

function withdraw({ promised, sends }: Device, opId: string): void {
  promised.delete(opId);
  sends.withdraw(opId);
}

/** What a person, or two, do in the tabs of a device at the same moment. */
export type QuickAct =
  | { kind: 'vote' | 'change_vote'; tab: number; poll: number; option: Option }
  | { kind: 'report' | 'block'; tab: number; target: number; isUndone: boolean }
  | { kind: 'create'; tab: number }
  | { kind: 'read' | 'send'; tab: number }
  | { kind: 'log_out'; tab: number; waiting: 'keep' | 'discard' }
  | { kind: 'log_in'; tab: number; person: number };

/** What the numbers in acts stand for. */
type Place = {
  polls: readonly string[];
  people: readonly Person[];
  /** The polls that are reported. */
  reported?: readonly string[];
  /** The names of those who are blocked. */
  blocked?: readonly string[];
};

/** Does all of it without waiting for one before the next. */
export async function actAtOnce(
  device: Device,
  acts: readonly QuickAct[],
  { polls, people, reported = [], blocked = [] }: Place,
): Promise<void> {
  for (const { tab } of acts) await device.tab(tab);
  const users = [...device.people.keys()];
  const before = new Set([...device.promised.keys()].filter((opId) => !device.unrepeated.has(opId)));
  const take = (act: QuickAct): Promise<void> => {
    switch (act.kind) {
      case 'vote':
        return vote(device, act.tab, [polls[act.poll] ?? ''], act.option);
      case 'change_vote':
        return changeVote(device, act.tab, polls[act.poll] ?? '', act.option);
      case 'report':
        return hide(device, act.tab, reporting(reported[act.target] ?? '', act.isUndone));
      case 'block':
        return hide(device, act.tab, blocking(blocked[act.target] ?? '', act.isUndone));
      case 'create':
        return create(device, act.tab, 10, 'in a hurry');
      case 'log_out':
        return logOut(device, act.tab, act.waiting);
      case 'log_in':
        return device.logIn(act.tab, people[act.person] ?? device.person);
      case 'send':
        return device.act(act.tab, async ({ engine }) => engine.tryConnection());
      case 'read':
        return device.act(act.tab, ({ engine }) =>
          Promise.all([engine.refreshUser(), engine.pullFeed(), engine.pullMine()]),
        );
    }
  };
  await Promise.all(acts.map(take));
  const mayBeGone = acts.some((act) => act.kind === 'log_out' && act.waiting === 'discard');
  if (!mayBeGone) return;
  // Whether what was stored just then came before or after is not known: it may be gone with the rest.
  for (const userId of users) {
    const left = new Set(await device.opIdsOf(userId));
    for (const [opId, owner] of device.promised) {
      if (owner === userId && !left.has(opId) && !before.has(opId)) device.promised.delete(opId);
    }
  }
}

/** Reads the lists, and of the feed two pages. */
export async function readPages({ engine }: Tab): Promise<void> {
  const feed = engine.pullFeed().then(() => engine.pullMoreFeed());
  await Promise.all([feed, engine.pullMine(), engine.pullTrending()]);
}
