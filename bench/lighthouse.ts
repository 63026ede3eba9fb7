import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuild } from '#scripts/run/children.ts';
import { seedServer } from '#scripts/run/seed-server.ts';
import { type Audit, audit, type Category } from './load/audit.ts';
import { newPhoneWithProfile, openTwice, signUp, withBrowser } from './load/phone.ts';
import { type BenchOptions, inTurn, median, type Row } from './load/rows.ts';
import { withTwin } from './load/twin.ts';
import { withServer } from './owner-server.ts';

const MIN_PERFORMANCE = 95;
const MAX_TBT_MS = 50;
const MAX_LCP_RATIO = 1.1;
const OTHERS: readonly [Category, string][] = [
  ['accessibility', 'Accessibility'],
  ['best-practices', 'Best Practices'],
  ['seo', 'SEO'],
];

/** The profile of a browser that a user has opened the app in before. */
async function withUsedProfile<Result>(
  address: string,
  work: (profile: string) => Promise<Result>,
): Promise<Result> {
  const profile = await mkdtemp(join(tmpdir(), 'this-or-that-bench-'));
  try {
    const phone = await newPhoneWithProfile(profile);
    await signUp(phone, address, 'lighthouse');
    await openTwice(phone, address);
    await phone.close();
    return await work(profile);
  } finally {
    await rm(profile, { recursive: true, force: true });
  }
}

function rowsOf(page: string, found: readonly Audit[], twin: readonly Audit[]): Row[] {
  const of = (select: (one: Audit) => number) => median(found.map(select));
  const [performance, tbtMs, cls] = [
    of(({ scores }) => scores.performance),
    of((one) => one.tbtMs),
    of((one) => one.cls),
  ];
  const [lcpMs, twinMs] = [of((one) => one.lcpMs), median(twin.map((one) => one.lcpMs))];
  const lcp: Row = {
    metric: `Lighthouse, ${page}: LCP ÷ that of a static page`,
    value: `${lcpMs.toFixed(0)} of ${twinMs.toFixed(0)} ms`,
    figure: lcpMs / twinMs,
    target: { max: MAX_LCP_RATIO },
  };
  return [
    {
      metric: `Lighthouse, ${page}: Performance`,
      value: performance.toFixed(0),
      figure: performance,
      target: { min: MIN_PERFORMANCE },
    },
    // A quick run has no static pages.
    ...(twin.length === 0 ? [] : [lcp]),
    {
      metric: `Lighthouse, ${page}: TBT, ms`,
      value: `${tbtMs.toFixed(0)} ms`,
      figure: tbtMs,
      target: { max: MAX_TBT_MS },
    },
    { metric: `Lighthouse, ${page}: CLS`, value: cls.toFixed(3), figure: cls, target: { max: 0 } },
  ];
}

/** Lighthouse on /auth, opened for the first time, and on /home, opened again by a user, each compared with a static page. */
export async function benchLighthouse({ rounds, isQuick }: BenchOptions): Promise<Row[]> {
  await ensureBuild();
  return withServer('', async ({ address }) => {
    await seedServer(address);
    const measure = (twin: string | null) =>
      withUsedProfile(address, async (profile) => {
        const tasks: Record<string, () => Promise<Audit>> = {
          auth: () => audit(`${address}/auth`),
          home: () => audit(`${address}/home`, profile),
        };
        if (twin !== null) {
          tasks.authTwin = () => audit(`${twin}/auth`);
          tasks.homeTwin = () => audit(`${twin}/home`);
        }
        const { auth = [], authTwin = [], home = [], homeTwin = [] } = await inTurn(tasks, rounds);
        const ours = [...auth, ...home];
        for (const failed of new Set(ours.flatMap((one) => one.failed))) console.log(`Not passed: ${failed}`);
        const others = OTHERS.map(([category, name]): Row => {
          const score = Math.min(...ours.map(({ scores }) => scores[category]));
          const metric = `Lighthouse, /auth and /home: ${name}`;
          return { metric, value: score.toFixed(0), figure: score, target: { min: 100 } };
        });
        return [...rowsOf('/auth', auth, authTwin), ...rowsOf('/home again', home, homeTwin), ...others];
      });
    if (isQuick) return measure(null);
    return withBrowser((browser) => withTwin(browser, address, measure));
  });
}
