import type { Option } from '#shared/polls/schema.ts';
import { type SmallOpInput, smallOperationOfType } from '#sync/operations/registry.ts';
import { needsDecision } from '#sync/protocol/op.ts';
import type { Device, TestUser } from './device.ts';
import { pollDraft } from './poll-draft.ts';
import type { Tab } from './tab.ts';

/** Actions of users in a tab of a device. `tabIndex` selects the tab. Nothing happens if nobody is logged in there. */

export function vote(
  device: Device,
  tabIndex: number,
  pollIds: readonly string[],
  option: Option,
): Promise<void> {
  return device.perform(tabIndex, ({ engine }) =>
    Promise.all(pollIds.map((id) => engine.queue({ type: 'vote', payload: { pollId: id, option } }))),
  );
}

/** Changes a vote if the tab's release supports it. */
export function changeVote(device: Device, tabIndex: number, pollId: string, option: Option): Promise<void> {
  const change = { type: 'changeVote' as const, payload: { pollId, option } };
  return device.perform(tabIndex, ({ engine }) => engine.queue(change), pollId);
}

/** Operations that hide a poll or all polls of a user, or show them again. */
export type VisibilityOperation = Extract<
  SmallOpInput,
  { type: 'report' | 'takeBackReport' | 'block' | 'unblock' }
>;

export const report = (pollId: string): VisibilityOperation => ({
  type: 'report',
  payload: { pollId, reason: 'spam' },
});

export const takeBackReport = (pollId: string): VisibilityOperation => ({
  type: 'takeBackReport',
  payload: { pollId },
});

export const block = (username: string): VisibilityOperation => ({ type: 'block', payload: { username } });

export const unblock = (username: string): VisibilityOperation => ({
  type: 'unblock',
  payload: { username },
});

type VisibilityAction = { kind: 'report' | 'block'; target: string; isUndone: boolean };

/** The operation that reports a poll or blocks a user, or undoes this. `target` is the id of the poll, or the username. */
export function visibilityOperation({ kind, target, isUndone }: VisibilityAction): VisibilityOperation {
  if (kind === 'report') return isUndone ? takeBackReport(target) : report(target);
  return isUndone ? unblock(target) : block(target);
}

/** Queues an operation that hides polls or shows them again, if the tab's release supports it. */
export function changeVisibility(
  device: Device,
  tabIndex: number,
  operation: VisibilityOperation,
): Promise<void> {
  const { type, payload } = operation;
  const entityId = smallOperationOfType(type).entityOf(payload);
  const run = async ({ engine }: Pick<Tab, 'engine'>) => {
    if ('pullBlocks' in engine) await engine.queue(operation);
  };
  return device.perform(tabIndex, run, entityId);
}

/** Pulls the notifications and marks them as read, if the tab's release supports it. */
export function markRead(device: Device, tabIndex: number): Promise<void> {
  return device.perform(tabIndex, async ({ engine }, db, user) => {
    if (!('pullNotifications' in engine)) return;
    await engine.pullNotifications();
    const newest = await db.notifications.orderBy('id').last();
    if (newest === undefined) return;
    device.markedUpTo.set(user.id, Math.max(device.markedUpTo.get(user.id) ?? 0, newest.id));
    await engine.queue({ type: 'markRead', payload: { upTo: newest.id } });
  });
}

export function create(
  device: Device,
  tabIndex: number,
  responsesWanted: number,
  title: string,
): Promise<void> {
  return device.perform(tabIndex, ({ engine }) => engine.createPoll(pollDraft(responsesWanted, title)));
}

/** Discards the op at `opIndex` of the queue, counted from 0, if the engine allows it, and with a vote its waiting changes. */
export function discard(device: Device, tabIndex: number, opIndex: number): Promise<void> {
  return device.perform(tabIndex, async ({ engine }, db, user) => {
    const ops = await db.ops.toArray();
    const op = ops[opIndex % Math.max(1, ops.length)];
    if (op === undefined || !(await engine.discard(op.opId))) return;
    withdraw(device, op.opId);
    if (op.type !== 'vote') return;
    const remaining = new Set(await device.opIdsOf(user.id));
    const changes = ops.filter(({ type, entityId }) => type === 'changeVote' && entityId === op.entityId);
    for (const { opId } of changes) if (!remaining.has(opId)) withdraw(device, opId);
  });
}

/** Retries the first refused op; with `isEdited` a refused poll is edited first. */
export function tryAgain(
  device: Device,
  tabIndex: number,
  { isEdited }: { isEdited: boolean },
): Promise<void> {
  return device.perform(tabIndex, async ({ engine }, db) => {
    const op = await db.ops.filter(needsDecision).first();
    if (op?.type === 'createPoll' && isEdited) await engine.createPoll(pollDraft(10, 'edited'), op.opId);
    else if (op !== undefined) await engine.tryAgain(op.opId);
  });
}

/** Logs out; `waiting` says what to do with the waiting ops, which the dialog has shown. */
export function logOut(device: Device, tabIndex: number, waiting: 'keep' | 'discard'): Promise<void> {
  return device.perform(tabIndex, async (tab, db, user) => {
    const { engine } = tab;
    const ops = (await db.ops.toArray()).filter((op) => !needsDecision(op));
    tab.cancelFreeze();
    const shownOpIds = ops.map(({ opId }) => opId);
    const error = await engine.logOut(waiting, shownOpIds).then(
      () => null,
      (failure: unknown) => failure,
    );
    // A stored logout is finished at the next start of the app; earlier releases do not store it.
    if (error !== null && (device.isOld || device.userOf(tab) !== null)) throw error;
    device.revisions.forget(user.id);
    device.forgetNotYetRepeated();
    const acknowledged = await device.withDb(user.id, (own) => own.acknowledged.toCollection().primaryKeys());
    for (const opId of acknowledged) device.deletedAtNextStart.add(opId);
    if (waiting === 'keep') return;
    // If another tab logged out first, this one has discarded nothing.
    const remaining = new Set(error === null && !tab.isDead ? await device.opIdsOf(user.id) : []);
    for (const opId of shownOpIds) if (!remaining.has(opId)) withdraw(device, opId);
  });
}

function withdraw({ durableOps, sends }: Device, opId: string): void {
  durableOps.delete(opId);
  sends.withdraw(opId);
}

/** An action of one of the users of a device, performed concurrently with others. */
export type UserAction =
  | { kind: 'vote' | 'change_vote'; tab: number; poll: number; option: Option }
  | { kind: 'report' | 'block'; tab: number; target: number; isUndone: boolean }
  | { kind: 'create'; tab: number }
  | { kind: 'read' | 'send'; tab: number }
  | { kind: 'log_out'; tab: number; waiting: 'keep' | 'discard' }
  | { kind: 'log_in'; tab: number; user: number };

/** The lists that the numbers in actions refer to. */
type Targets = {
  polls: readonly string[];
  testUsers: readonly TestUser[];
  /** The ids of polls to report. */
  reportTargets?: readonly string[];
  /** The names of users to block. */
  blockTargets?: readonly string[];
};

/** Performs all actions concurrently. */
export async function performConcurrently(
  device: Device,
  actions: readonly UserAction[],
  { polls, testUsers, reportTargets = [], blockTargets = [] }: Targets,
): Promise<void> {
  for (const { tab } of actions) await device.tab(tab);
  const userIds = [...device.testUsers.keys()];
  const opIds = [...device.durableOps.keys()];
  const opIdsBefore = new Set(opIds.filter((opId) => !device.notYetRepeated.has(opId)));
  const perform = (action: UserAction): Promise<void> => {
    switch (action.kind) {
      case 'vote':
        return vote(device, action.tab, [polls[action.poll] ?? ''], action.option);
      case 'change_vote':
        return changeVote(device, action.tab, polls[action.poll] ?? '', action.option);
      case 'report':
      case 'block': {
        const targets = action.kind === 'report' ? reportTargets : blockTargets;
        const operation = visibilityOperation({ ...action, target: targets[action.target] ?? '' });
        return changeVisibility(device, action.tab, operation);
      }
      case 'create':
        return create(device, action.tab, 10, 'concurrent');
      case 'log_out':
        return logOut(device, action.tab, action.waiting);
      case 'log_in':
        return device.logIn(action.tab, testUsers[action.user] ?? device.testUser);
      case 'send':
        return device.perform(action.tab, async ({ engine }) => engine.tryConnection());
      case 'read':
        return device.perform(action.tab, ({ engine }) =>
          Promise.all([engine.refreshUser(), engine.pullFeed(), engine.pullMine()]),
        );
    }
  };
  await Promise.all(actions.map(perform));
  const mayBeDiscarded = actions.some((action) => action.kind === 'log_out' && action.waiting === 'discard');
  if (!mayBeDiscarded) return;
  // An op stored at the same time as the logout may have been discarded by it.
  for (const userId of userIds) {
    const remaining = new Set(await device.opIdsOf(userId));
    for (const [opId, opUserId] of device.durableOps) {
      if (opUserId === userId && !remaining.has(opId) && !opIdsBefore.has(opId))
        device.durableOps.delete(opId);
    }
  }
}

/** Pulls the lists, and two pages of the feed. */
export async function readPages({ engine }: Tab): Promise<void> {
  const feed = engine.pullFeed().then(() => engine.pullMoreFeed());
  await Promise.all([feed, engine.pullMine(), engine.pullTrending()]);
}
