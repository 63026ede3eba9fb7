import fc from 'fast-check';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#shared/time.ts';
import type { QuickAct } from './acts.ts';
import type { CommitFault } from './cluster.ts';
import { FAULTS, type Fault } from './proxy.ts';
import type { TabEnd } from './tab.ts';

export const PEOPLE = 3;
export const DEVICES_A_PERSON = 2;
export const POLLS_AT_START = 4;
/** Polls to report: two of somebody else's, and one of each person's own. */
export const REPORTED_POLLS = 2 + PEOPLE;
/** Users to block: somebody else, each of the people, and a name that nobody has. */
export const BLOCKED_USERS = 2 + PEOPLE;

/** One step of a history. Devices, people and polls are places in lists; `tab` is 0 or 1. */
export type Step =
  | { do: 'vote' | 'change_vote'; device: number; tab: number; poll: number; option: 1 | 2 }
  | { do: 'report' | 'block'; device: number; target: number; moves: Move[]; isContradicted: boolean }
  | { do: 'report_deleted'; device: number; tab: number }
  | { do: 'change_often'; device: number; tab: number; poll: number; count: number }
  | { do: 'vote_on_many'; device: number; count: number; faults: Fault[] }
  | { do: 'notify'; person: number; count: number }
  | { do: 'close_early'; person: number }
  | { do: 'mark_read'; device: number; tab: number }
  | { do: 'create'; device: number; tab: number; cost: number }
  | { do: 'send'; devices: number[]; tab: number; sending: Sending }
  | { do: 'discard' | 'edit' | 'try_again'; device: number; tab: number; place: number }
  | LogOutStep
  | { do: 'log_in'; device: number; tab: number }
  | { do: 'end_session'; device: number }
  | { do: 'foreign_session'; device: number; other: number }
  | { do: 'close_poll' | 'delete_poll'; poll: number }
  | { do: 'wait'; ms: number }
  | { do: 'put_clock_back'; device: number; ms: number }
  | { do: 'act_at_once'; device: number; acts: QuickAct[]; faults: Fault[]; isOnline: boolean }
  | { do: 'update' }
  | { do: 'replace_server' }
  | { do: 'run_out_of_room'; device: number; writesBefore: number; writesFailing: number }
  | { do: 'evict'; device: number; isClosed: boolean }
  | { do: 'restart_server'; place: number }
  | { do: 'take_backup' | 'restore_backup' };

/** `killedAt`: the change of the device or the server at which the tab is killed. */
export type LogOutStep = {
  do: 'log_out';
  device: number;
  tab: number;
  waiting: 'keep' | 'discard';
  killedAt: number | null;
};

/** Hides something in a tab, or shows it again. */
export type Move = { tab: number; isUndone: boolean };

/** What differs from one history to the next, from its beginning to its end. Devices are places in a list. */
export type Setting = {
  /** Those that begin with the engine of the release before. */
  oldDevices: number[];
  /** Those whose tabs do not hear of each other. */
  devicesWithoutChannel: number[];
  processes: 1 | 2;
  hasRateLimits: boolean;
  /** Whether the server is one release ahead. */
  isServerNewer: boolean;
  /** Of all that is left to chance at the servers. */
  seed: number;
};

/** What happens while devices are online. */
type Sending = {
  /** Read at the same time: what was read before a change may arrive after its answer. */
  pulls: boolean;
  faults: Fault[];
  latencyMs: number;
  /** What happens to the tab of the first device, or of another one where nothing waits there. */
  end: TabEnd | null;
  /** The person does something else before all is sent. */
  isHasty: boolean;
  /** It stays online, and sends by itself what is queued later. */
  staysOnline: boolean;
  /** A tab that is frozen by then never goes on. */
  staysFrozen: boolean;
  /** What happens at the statements of the server that take effect. */
  cuts: CommitFault[];
  /** The request at which its process is killed. */
  killAtRequest: number | null;
};

const device = fc.nat(PEOPLE * DEVICES_A_PERSON - 1);
const poll = fc.nat(POLLS_AT_START - 1);
const tab = fc.constantFrom(0, 0, 1);

const end: fc.Arbitrary<TabEnd | null> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(null) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('kill_after_steps' as const), count: fc.nat(60) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'kill_at_answer' as const,
        'freeze_at_answer' as const,
        'freeze_at_answer' as const,
      ),
      // Few ops wait on a device at a time.
      count: fc.constantFrom(1, 1, 1, 1, 2, 3),
    }),
  },
);

/** Mostly nothing. */
function rarely<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> {
  return fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value });
}

const sending: fc.Arbitrary<Sending> = fc.record({
  pulls: fc.boolean(),
  faults: fc.array(fc.constantFrom<Fault>('none', 'none', 'late_answer', 'late_answer', ...FAULTS), {
    maxLength: 8,
  }),
  latencyMs: fc.constantFrom(20, 20, 300, 8_000),
  end,
  isHasty: fc.constantFrom(false, false, true),
  staysOnline: fc.constantFrom(false, false, true),
  staysFrozen: fc.constantFrom(true, true, false),
  cuts: rarely(
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
  ).map((cuts) => cuts ?? []),
  killAtRequest: rarely(fc.integer({ min: 1, max: 12 })),
});

function of<Kind extends Step['do'], Fields extends object>(
  weight: number,
  kinds: readonly Kind[],
  fields: { [Field in keyof Fields]: fc.Arbitrary<Fields[Field]> },
): { weight: number; arbitrary: fc.Arbitrary<{ do: Kind } & Fields> } {
  const kind = fc.constantFrom(...kinds);
  return {
    weight,
    arbitrary: fc.tuple(kind, fc.record(fields)).map(([one, rest]) => ({ ...(rest as Fields), do: one })),
  };
}

/** A place in either list; mostly the same one, so that acts meet. */
const reportedOrBlocked = fc.constantFrom(
  0,
  0,
  0,
  ...Array.from({ length: Math.min(REPORTED_POLLS, BLOCKED_USERS) }, (_, place) => place),
);
const isUndone = fc.constantFrom(false, false, true);

const quickAct: fc.Arbitrary<QuickAct> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('vote' as const, 'change_vote' as const),
    tab,
    poll,
    option: fc.constantFrom<1 | 2>(1, 2),
  }),
  fc.record({
    kind: fc.constantFrom('report' as const, 'block' as const),
    tab,
    target: reportedOrBlocked,
    isUndone,
  }),
  fc.record({ kind: fc.constant('create' as const), tab }),
  fc.record({ kind: fc.constantFrom('read' as const, 'send' as const), tab }),
  fc.record({
    kind: fc.constant('log_out' as const),
    tab,
    waiting: fc.constantFrom<'keep' | 'discard'>('keep', 'keep', 'discard'),
  }),
  fc.record({ kind: fc.constant('log_in' as const), tab, person: fc.nat(PEOPLE - 1) }),
);

const devices = Array.from({ length: PEOPLE * DEVICES_A_PERSON }, (_, place) => place);

export const settingArbitrary: fc.Arbitrary<Setting> = fc.record({
  oldDevices: rarely(fc.subarray(devices, { minLength: 1 })).map((places) => places ?? []),
  devicesWithoutChannel: rarely(fc.subarray(devices, { minLength: 1 })).map((places) => places ?? []),
  processes: fc.constantFrom<1 | 2>(1, 1, 2),
  hasRateLimits: fc.constantFrom(false, false, false, true),
  isServerNewer: fc.constantFrom(false, false, false, true),
  seed: fc.nat(),
});

const hiding = {
  device,
  target: reportedOrBlocked,
  moves: fc.array(fc.record({ tab, isUndone }), { minLength: 1, maxLength: 3 }),
  isContradicted: fc.constantFrom(false, false, true),
};

const RESTORES_WEIGHT = 4;

export const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  of(50, ['vote'], { device, tab, poll, option: fc.constantFrom<1 | 2>(1, 2) }),
  of(16, ['change_vote'], { device, tab, poll, option: fc.constantFrom<1 | 2>(1, 2) }),
  of(18, ['vote_on_many'], {
    device,
    count: fc.integer({ min: 3, max: 30 }),
    // With any it sends them at once.
    faults: rarely(fc.array(fc.constantFrom<Fault>(...FAULTS), { minLength: 1, maxLength: 2 })).map(
      (faults) => faults ?? [],
    ),
  }),
  of(12, ['notify'], { person: fc.nat(PEOPLE - 1), count: fc.integer({ min: 1, max: 40 }) }),
  of(10, ['close_early'], { person: fc.nat(PEOPLE - 1) }),
  of(14, ['mark_read'], { device, tab }),
  of(12, ['report'], hiding),
  of(12, ['block'], hiding),
  of(4, ['report_deleted'], { device, tab }),
  of(4, ['change_often'], { device, tab, poll, count: fc.integer({ min: 3, max: 8 }) }),
  of(20, ['create'], { device, tab, cost: fc.constantFrom(10, 12, 20) }),
  // The same device twice: two of its tabs.
  of(60, ['send'], { devices: fc.array(device, { minLength: 1, maxLength: 3 }), tab, sending }),
  of(8, ['discard', 'edit', 'try_again'], { device, tab, place: fc.nat(9) }),
  of(8, ['log_out'], {
    device,
    tab,
    waiting: fc.constantFrom<'keep' | 'discard'>('keep', 'discard'),
    // Only the first changes store the log out.
    killedAt: fc.oneof(fc.constant(null), fc.integer({ min: 2, max: 20 })),
  }),
  of(8, ['log_in'], { device, tab }),
  of(8, ['end_session'], { device }),
  of(8, ['foreign_session'], { device, other: fc.nat(PEOPLE - 1) }),
  of(5, ['close_poll', 'delete_poll'], { poll }),
  of(12, ['act_at_once'], {
    device,
    acts: fc.array(quickAct, { minLength: 2, maxLength: 5 }),
    faults: fc.array(fc.constantFrom<Fault>('none', 'none', 'late_answer', ...FAULTS), { maxLength: 4 }),
    isOnline: fc.constantFrom(true, true, false),
  }),
  of(8, ['update'], {}),
  // Replaced by an older one, and then by this one again.
  of(8, ['replace_server'], {}),
  of(4, ['run_out_of_room'], {
    device,
    writesBefore: fc.nat(20),
    writesFailing: fc.integer({ min: 1, max: 30 }),
  }),
  of(3, ['evict'], { device, isClosed: fc.boolean() }),
  of(4, ['restart_server'], { place: fc.nat(1) }),
  of(RESTORES_WEIGHT, ['take_backup'], {}),
  of(RESTORES_WEIGHT, ['restore_backup'], {}),
  of(5, ['put_clock_back'], { device, ms: fc.constantFrom(MINUTE_MS, HOUR_MS, DAY_MS) }),
  of(18, ['wait'], { ms: fc.constantFrom(500, 5_000, 31_000) }),
);
