import fc from 'fast-check';
import { FAULTS, type Fault } from './proxy.ts';
import type { TabEnd } from './tab.ts';

export const PEOPLE = 3;
export const DEVICES_A_PERSON = 2;
export const POLLS_AT_START = 4;

/** One step of a history. Devices, people and polls are places in lists; `tab` is 0 or 1. */
export type Step =
  | { do: 'vote'; device: number; tab: number; poll: number; option: 1 | 2 }
  | { do: 'vote_on_many'; device: number; count: number }
  | { do: 'create'; device: number; tab: number; cost: number }
  | { do: 'send'; devices: number[]; tab: number; sending: Sending }
  | { do: 'discard' | 'edit' | 'try_again'; device: number; tab: number; place: number }
  | { do: 'log_out'; device: number; tab: number; waiting: 'keep' | 'discard' }
  | { do: 'log_in'; device: number; tab: number }
  | { do: 'end_session'; device: number }
  | { do: 'foreign_session'; device: number; other: number }
  | { do: 'close_poll' | 'delete_poll'; poll: number }
  | { do: 'wait'; ms: number };

/** What happens while devices are online. */
type Sending = {
  /** Read at the same time: what was read before a change may arrive after its answer. */
  pulls: boolean;
  faults: Fault[];
  latencyMs: number;
  /** What happens to the tab of the first device. */
  end: TabEnd | null;
  /** The person does something else before all is sent. */
  isHasty: boolean;
  /** It stays online, and sends by itself what is queued later. */
  staysOnline: boolean;
};

const device = fc.nat(PEOPLE * DEVICES_A_PERSON - 1);
const poll = fc.nat(POLLS_AT_START - 1);
const tab = fc.constantFrom(0, 0, 1);

const end: fc.Arbitrary<TabEnd | null> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(null) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('kill_after_steps' as const), count: fc.nat(60) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('kill_at_answer' as const, 'freeze_at_answer' as const),
      count: fc.integer({ min: 1, max: 6 }),
    }),
  },
);

const sending: fc.Arbitrary<Sending> = fc.record({
  pulls: fc.boolean(),
  faults: fc.array(fc.constantFrom<Fault>('none', 'none', 'late_answer', 'late_answer', ...FAULTS), {
    maxLength: 8,
  }),
  latencyMs: fc.constantFrom(20, 20, 300, 8_000),
  end,
  isHasty: fc.constantFrom(false, false, true),
  staysOnline: fc.constantFrom(false, false, true),
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

export const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  of(50, ['vote'], { device, tab, poll, option: fc.constantFrom<1 | 2>(1, 2) }),
  of(6, ['vote_on_many'], { device, count: fc.integer({ min: 5, max: 30 }) }),
  of(20, ['create'], { device, tab, cost: fc.constantFrom(10, 12, 20) }),
  // The same device twice: two of its tabs.
  of(60, ['send'], { devices: fc.array(device, { minLength: 1, maxLength: 3 }), tab, sending }),
  of(8, ['discard', 'edit', 'try_again'], { device, tab, place: fc.nat(9) }),
  of(6, ['log_out'], { device, tab, waiting: fc.constantFrom<'keep' | 'discard'>('keep', 'discard') }),
  of(8, ['log_in'], { device, tab }),
  of(8, ['end_session'], { device }),
  of(8, ['foreign_session'], { device, other: fc.nat(PEOPLE - 1) }),
  of(5, ['close_poll', 'delete_poll'], { poll }),
  of(18, ['wait'], { ms: fc.constantFrom(500, 5_000, 31_000) }),
);
