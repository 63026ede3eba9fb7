import { ensureBuild } from '#scripts/run/children.ts';
import { seedServer } from '#scripts/run/seed-server.ts';
import { type Audit, audit, type Category } from './load/audit.ts';
import { type BenchOptions, measureInTurns, type Row } from './load/measurements.ts';
import { newPhoneWithProfile, openUntilCached, signUp, withBrowser } from './load/phone.ts';
import { median } from './load/quantiles.ts';
import { withStaticPages } from './load/static-pages.ts';
import { withFolder } from './load/temporary-folder.ts';
import { withServer } from './owner-server.ts';

const MIN_PERFORMANCE = 95;
const MAX_TBT_MS = 50;
const MAX_LCP_RATIO = 1.1;
const OTHER_CATEGORIES: readonly [Category, string][] = [
  ['accessibility', 'Accessibility'],
  ['best-practices', 'Best Practices'],
  ['seo', 'SEO'],
];

/** Creates in a folder a browser profile in which a user has opened the app before. */
async function createUsedProfile(profile: string, address: string): Promise<void> {
  const phone = await newPhoneWithProfile(profile);
  await signUp(phone, address, 'lighthouse');
  await openUntilCached(phone, address);
  await phone.close();
}

function rowsOf(page: string, audits: readonly Audit[], staticAudits: readonly Audit[]): Row[] {
  const medianOf = (select: (result: Audit) => number) => median(audits.map(select));
  const [performance, tbtMs, cls] = [
    medianOf(({ scores }) => scores.performance),
    medianOf((result) => result.tbtMs),
    medianOf((result) => result.cls),
  ];
  const lcpMs = medianOf((result) => result.lcpMs);
  // A quick run does not measure the static pages.
  const hasStatic = staticAudits.length > 0;
  const staticLcpMs = median(staticAudits.map((result) => result.lcpMs));
  const staticTbtMs = median(staticAudits.map((result) => result.tbtMs));
  const lcp: Row = {
    metric: `Lighthouse, ${page}: LCP ÷ that of a static page`,
    value: `${lcpMs.toFixed(0)} of ${staticLcpMs.toFixed(0)} ms`,
    comparedValue: lcpMs / staticLcpMs,
    target: { max: MAX_LCP_RATIO },
  };
  return [
    {
      metric: `Lighthouse, ${page}: Performance`,
      value: performance.toFixed(0),
      comparedValue: performance,
      target: { min: MIN_PERFORMANCE },
    },
    ...(hasStatic ? [lcp] : []),
    {
      metric: `Lighthouse, ${page}: TBT, ms`,
      value: `${tbtMs.toFixed(0)} ms${hasStatic ? `, a static page ${staticTbtMs.toFixed(0)} ms` : ''}`,
      comparedValue: tbtMs,
      target: { max: MAX_TBT_MS },
    },
    { metric: `Lighthouse, ${page}: CLS`, value: cls.toFixed(3), comparedValue: cls, target: { max: 0 } },
  ];
}

/** Runs Lighthouse on /auth, opened for the first time, and on /home, opened again by a user, and on static copies of both. */
export async function benchLighthouse({ rounds, isQuick }: BenchOptions): Promise<Row[]> {
  await ensureBuild();
  return withServer('', async ({ address }) => {
    await seedServer(address);
    const measure = (staticAddress: string | null) =>
      withFolder(async (profile) => {
        await createUsedProfile(profile, address);
        const tasks: Record<string, () => Promise<Audit>> = {
          auth: () => audit(`${address}/auth`),
          home: () => audit(`${address}/home`, profile),
        };
        if (staticAddress !== null) {
          tasks.authStatic = () => audit(`${staticAddress}/auth`);
          tasks.homeStatic = () => audit(`${staticAddress}/home`);
        }
        const {
          auth = [],
          authStatic = [],
          home = [],
          homeStatic = [],
        } = await measureInTurns(tasks, rounds);
        const appAudits = [...auth, ...home];
        for (const failed of new Set(appAudits.flatMap((result) => result.failed)))
          console.log(`Failed audit: ${failed}`);
        const otherRows = OTHER_CATEGORIES.map(([category, name]): Row => {
          const score = Math.min(...appAudits.map(({ scores }) => scores[category]));
          const metric = `Lighthouse, /auth and /home: ${name}`;
          return { metric, value: score.toFixed(0), comparedValue: score, target: { min: 100 } };
        });
        return [
          ...rowsOf('/auth', auth, authStatic),
          ...rowsOf('/home again', home, homeStatic),
          ...otherRows,
        ];
      });
    if (isQuick) return measure(null);
    return withBrowser((browser) => withStaticPages(browser, address, measure));
  });
}
