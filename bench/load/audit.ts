import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findBrowser } from '#scripts/browser/find-browser.ts';
import { installedPackage } from './reference-servers.ts';

const run = promisify(execFile);
const MAX_REPORT_BYTES = 64 * 1024 ** 2;
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const;

export type Category = (typeof CATEGORIES)[number];

/** The parts of Lighthouse's report that are used here. */
type Report = {
  finalDisplayedUrl: string;
  runtimeError?: { message: string };
  categories: Record<Category, { score: number | null; auditRefs: { id: string; weight: number }[] }>;
  audits: Record<string, { title: string; score: number | null; numericValue?: number }>;
};

/** Scores from 0 to 100, and the titles of failed audits in accessibility, best practices and SEO. */
export type Audit = {
  scores: Record<Category, number>;
  lcpMs: number;
  tbtMs: number;
  cls: number;
  failed: string[];
};

/** Runs Lighthouse for mobile with simulated throttling, in a new browser profile, or in the profile in the folder `profile`. */
export async function audit(url: string, profile?: string): Promise<Audit> {
  const { executablePath, args, env } = await findBrowser();
  const flags = ['--headless', '--no-sandbox', ...args, ...(profile ? [`--user-data-dir=${profile}`] : [])];
  const { stdout } = await run(
    process.execPath,
    [
      join(installedPackage('lighthouse'), 'cli', 'index.js'),
      url,
      ...['--quiet', '--output=json', '--disable-full-page-screenshot'],
      `--only-categories=${CATEGORIES.join(',')}`,
      `--chrome-flags=${flags.join(' ')}`,
      ...(profile ? ['--disable-storage-reset'] : []),
    ],
    { env: { ...process.env, ...env, CHROME_PATH: executablePath }, maxBuffer: MAX_REPORT_BYTES },
  );
  const report: Report = JSON.parse(stdout);
  if (report.runtimeError) throw new Error(`${url}: ${report.runtimeError.message}`);
  if (report.finalDisplayedUrl !== url)
    throw new Error(`${url} was redirected to ${report.finalDisplayedUrl}`);
  return toAudit(report);
}

function toAudit({ categories, audits }: Report): Audit {
  const valueOfAudit = (id: string) => audits[id]?.numericValue ?? Number.NaN;
  const scoreOf = (category: Category) => Math.round((categories[category].score ?? 0) * 100);
  const failed = CATEGORIES.filter((category) => category !== 'performance')
    .flatMap((category) => categories[category].auditRefs)
    .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1)
    .map(({ id }) => audits[id]?.title ?? id);
  return {
    scores: {
      performance: scoreOf('performance'),
      accessibility: scoreOf('accessibility'),
      'best-practices': scoreOf('best-practices'),
      seo: scoreOf('seo'),
    },
    lcpMs: valueOfAudit('largest-contentful-paint'),
    tbtMs: valueOfAudit('total-blocking-time'),
    cls: valueOfAudit('cumulative-layout-shift'),
    failed,
  };
}
