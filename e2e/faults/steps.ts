import fc from 'fast-check';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#shared/time.ts';
import type { CommitFault } from './cluster.ts';
import { FAULTS, type Fault } from './proxy.ts';
import type { TabFault } from './tab.ts';
import type { UserAction } from './user-actions.ts';

export const USERS = 3;
export const DEVICES_PER_USER = 2;
export const POLLS_AT_START = 4;
/** Polls to report: two of other users, and one of each test user. */
export const REPORTED_POLLS = 2 + USERS;
/** Users to block: another user, each test user, and a username that does not exist. */
export const BLOCKED_USERS = 2 + USERS;

/**
 * One step of a history. Devices, users, polls and targets are indexes of lists; `tab` is 0 or 1. `isContradicted`: the user's other
 * device then does the opposite. `foreign_session`: the browser gets a session of the user `other`, and no tab is notified.
 * `replace_server`: an older server replaces the current one, or the current one an older one. `isClosed`: all tabs are closed
 * before the eviction.
 */
export type Step =
  | { do: 'vote' | 'change_vote'; device: number; tab: number; poll: number; option: 1 | 2 }
  | {
      do: 'report' | 'block';
      device: number;
      target: number;
      changes: VisibilityChange[];
      isContradicted: boolean;
    }
  | { do: 'report_deleted'; device: number; tab: number }
  | { do: 'change_often'; device: number; tab: number; poll: number; count: number }
  | { do: 'vote_on_many'; device: number; count: number; faults: Fault[] }
  | { do: 'notify'; user: number; count: number }
  | { do: 'close_early'; user: number }
  | { do: 'mark_read'; device: number; tab: number }
  | { do: 'create'; device: number; tab: number; cost: number }
  | { do: 'send'; devices: number[]; tab: number; sending: Sending }
  | { do: 'discard' | 'edit' | 'retry'; device: number; tab: number; opIndex: number }
  | LogoutStep
  | { do: 'log_in'; device: number; tab: number }
  | { do: 'end_session'; device: number }
  | { do: 'foreign_session'; device: number; other: number }
  | { do: 'deactivate_poll' | 'delete_poll'; poll: number }
  | { do: 'wait'; ms: number }
  | { do: 'set_clock_back'; device: number; ms: number }
  | { do: 'act_concurrently'; device: number; actions: UserAction[]; faults: Fault[]; isOnline: boolean }
  | { do: 'update' }
  | { do: 'replace_server' }
  | { do: 'exceed_quota'; device: number; writesBefore: number; writesFailing: number }
  | { do: 'evict'; device: number; isClosed: boolean }
  | { do: 'restart_server'; processIndex: number }
  | { do: 'take_backup' | 'restore_backup' };

/** After `killedAfter` changes (database writes and calls) the tab is killed at the next one; null if it is not killed. */
export type LogoutStep = {
  do: 'log_out';
  device: number;
  tab: number;
  waiting: 'keep' | 'discard';
  killedAfter: number | null;
};

/** Hides polls in a tab, or shows them again. */
export type VisibilityChange = { tab: number; isUndone: boolean };

/** The parameters of a whole history. Devices are indexes of a list. */
export type Setting = {
  /** The devices that start with the engine of an earlier release. */
  oldDevices: number[];
  /** The devices whose tabs have no broadcast channel. */
  devicesWithoutChannel: number[];
  processes: 1 | 2;
  hasRateLimits: boolean;
  /** Whether the server is one release ahead. */
  isServerNewer: boolean;
  /** The seed of the servers' random numbers. */
  seed: number;
};

/** The conditions while devices are online. */
type Sending = {
  /** Whether lists are pulled at the same time, so that an outdated list may arrive after the response to a change. */
  pulls: boolean;
  faults: Fault[];
  latencyMs: number;
  /** The fault of the first sending device's tab. */
  tabFault: TabFault | null;
  /** Whether the next step waits until the ops are sent. */
  isAwaited: boolean;
  /** Whether the devices remain online, and send later ops without another `send`. */
  staysOnline: boolean;
  /** Whether a frozen tab never thaws. */
  staysFrozen: boolean;
  /** The faults of the server's next statements that commit a change. */
  commitFaults: CommitFault[];
  /** The number of the request during which its server process is killed. */
  killAtRequest: number | null;
};

const device = fc.nat(USERS * DEVICES_PER_USER - 1);
const poll = fc.nat(POLLS_AT_START - 1);
const tab = fc.constantFrom(0, 0, 1);

const tabFault: fc.Arbitrary<TabFault | null> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(null) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('kill_after_steps' as const), count: fc.nat(60) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'kill_at_response' as const,
        'freeze_at_response' as const,
        'freeze_at_response' as const,
      ),
      // Few ops wait on a device at a time.
      count: fc.constantFrom(1, 1, 1, 1, 2, 3),
    }),
  },
);

/** `usual` in four of five cases. */
function rarely<Value, Usual>(value: fc.Arbitrary<Value>, usual: Usual): fc.Arbitrary<Value | Usual> {
  return fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: value });
}

const sending: fc.Arbitrary<Sending> = fc.record({
  pulls: fc.boolean(),
  faults: fc.array(fc.constantFrom<Fault>('none', 'none', 'delay_response', 'delay_response', ...FAULTS), {
    maxLength: 8,
  }),
  latencyMs: fc.constantFrom(20, 20, 300, 8_000),
  tabFault,
  isAwaited: fc.constantFrom(true, true, false),
  staysOnline: fc.constantFrom(false, false, true),
  staysFrozen: fc.constantFrom(true, true, false),
  commitFaults: rarely(
    fc.array(
      fc.constantFrom<CommitFault>(
        'before_commit',
        'before_commit',
        'after_commit',
        'after_commit',
        'kill_before_commit',
        'kill_after_commit',
      ),
      { minLength: 1, maxLength: 3 },
    ),
    [],
  ),
  killAtRequest: rarely(fc.integer({ min: 1, max: 12 }), null),
});

/** Steps of all `kinds`, which have the same fields. */
function weighted<Kind extends Step['do'], Fields extends object>(
  weight: number,
  kinds: readonly Kind[],
  fields: { [Field in keyof Fields]: fc.Arbitrary<Fields[Field]> },
): { weight: number; arbitrary: fc.Arbitrary<{ do: Kind } & Fields> } {
  const kind = fc.constantFrom(...kinds);
  return {
    weight,
    arbitrary: fc.tuple(kind, fc.record(fields)).map(([drawn, rest]) => ({ ...(rest as Fields), do: drawn })),
  };
}

/** An index of the polls to report or of the users to block; often 0, so that actions have the same target. */
const visibilityTarget = fc.constantFrom(
  0,
  0,
  0,
  ...Array.from({ length: Math.min(REPORTED_POLLS, BLOCKED_USERS) }, (_, index) => index),
);
const isUndone = fc.constantFrom(false, false, true);

const userAction: fc.Arbitrary<UserAction> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('vote' as const, 'change_vote' as const),
    tab,
    poll,
    option: fc.constantFrom<1 | 2>(1, 2),
  }),
  fc.record({
    kind: fc.constantFrom('report' as const, 'block' as const),
    tab,
    target: visibilityTarget,
    isUndone,
  }),
  fc.record({ kind: fc.constant('create' as const), tab }),
  fc.record({ kind: fc.constantFrom('read' as const, 'send' as const), tab }),
  fc.record({
    kind: fc.constant('log_out' as const),
    tab,
    waiting: fc.constantFrom<'keep' | 'discard'>('keep', 'keep', 'discard'),
  }),
  fc.record({ kind: fc.constant('log_in' as const), tab, user: fc.nat(USERS - 1) }),
);

const devices = Array.from({ length: USERS * DEVICES_PER_USER }, (_, index) => index);

export const settingArbitrary: fc.Arbitrary<Setting> = fc.record({
  oldDevices: rarely(fc.subarray(devices, { minLength: 1 }), []),
  devicesWithoutChannel: rarely(fc.subarray(devices, { minLength: 1 }), []),
  processes: fc.constantFrom<1 | 2>(1, 1, 2),
  hasRateLimits: fc.constantFrom(false, false, false, true),
  isServerNewer: fc.constantFrom(false, false, false, true),
  seed: fc.nat(),
});

const visibilityFields = {
  device,
  target: visibilityTarget,
  changes: fc.array(fc.record({ tab, isUndone }), { minLength: 1, maxLength: 3 }),
  isContradicted: fc.constantFrom(false, false, true),
};

export const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  weighted(50, ['vote'], { device, tab, poll, option: fc.constantFrom<1 | 2>(1, 2) }),
  weighted(16, ['change_vote'], { device, tab, poll, option: fc.constantFrom<1 | 2>(1, 2) }),
  weighted(18, ['vote_on_many'], {
    device,
    count: fc.integer({ min: 3, max: 30 }),
    // If there are any, the votes are sent immediately.
    faults: rarely(fc.array(fc.constantFrom<Fault>(...FAULTS), { minLength: 1, maxLength: 2 }), []),
  }),
  weighted(12, ['notify'], { user: fc.nat(USERS - 1), count: fc.integer({ min: 1, max: 40 }) }),
  weighted(10, ['close_early'], { user: fc.nat(USERS - 1) }),
  weighted(14, ['mark_read'], { device, tab }),
  weighted(12, ['report'], visibilityFields),
  weighted(12, ['block'], visibilityFields),
  weighted(4, ['report_deleted'], { device, tab }),
  weighted(4, ['change_often'], { device, tab, poll, count: fc.integer({ min: 3, max: 8 }) }),
  weighted(20, ['create'], { device, tab, cost: fc.constantFrom(10, 12, 20) }),
  // If a device is drawn twice, both tabs of each device send.
  weighted(60, ['send'], { devices: fc.array(device, { minLength: 1, maxLength: 3 }), tab, sending }),
  weighted(8, ['discard', 'edit', 'retry'], { device, tab, opIndex: fc.nat(9) }),
  weighted(8, ['log_out'], {
    device,
    tab,
    waiting: fc.constantFrom<'keep' | 'discard'>('keep', 'discard'),
    // The first three changes store the logout, the others finish it.
    killedAfter: fc.oneof(fc.constant(null), fc.integer({ min: 2, max: 20 })),
  }),
  weighted(8, ['log_in'], { device, tab }),
  weighted(8, ['end_session'], { device }),
  weighted(8, ['foreign_session'], { device, other: fc.nat(USERS - 1) }),
  weighted(5, ['deactivate_poll', 'delete_poll'], { poll }),
  weighted(12, ['act_concurrently'], {
    device,
    actions: fc.array(userAction, { minLength: 2, maxLength: 5 }),
    faults: fc.array(fc.constantFrom<Fault>('none', 'none', 'delay_response', ...FAULTS), { maxLength: 4 }),
    isOnline: fc.constantFrom(true, true, false),
  }),
  weighted(8, ['update'], {}),
  weighted(8, ['replace_server'], {}),
  weighted(4, ['exceed_quota'], {
    device,
    writesBefore: fc.nat(20),
    writesFailing: fc.integer({ min: 1, max: 30 }),
  }),
  weighted(3, ['evict'], { device, isClosed: fc.boolean() }),
  weighted(4, ['restart_server'], { processIndex: fc.nat(1) }),
  weighted(4, ['take_backup'], {}),
  weighted(4, ['restore_backup'], {}),
  weighted(5, ['set_clock_back'], { device, ms: fc.constantFrom(MINUTE_MS, HOUR_MS, DAY_MS) }),
  weighted(18, ['wait'], { ms: fc.constantFrom(500, 5_000, 31_000) }),
);
