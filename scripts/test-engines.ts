import { spawnSync } from 'node:child_process';
import { findProgram } from './browser/find-program.ts';
import { playDayOffline } from './engines/day-offline.ts';
import type { Engine } from './engines/engine.ts';
import { firefox } from './engines/firefox.ts';
import { webkit } from './engines/webkit.ts';
import { ensureBuild } from './run/children.ts';

/**
 * Plays a day offline in Firefox and in WebKit, which the end-to-end tests do not use, as far as they are installed.
 * `--install` installs what is missing first, if root asks. Exits with 1 when one of them fails or none is there.
 */

const ENGINES: readonly Engine[] = [firefox, webkit];
const mayInstall = process.argv.includes('--install') && process.getuid?.() === 0;

function isInstalled(engine: Engine): boolean {
  if (engine.isInstalled()) return true;
  const aptGet = findProgram(['apt-get']);
  if (!mayInstall || aptGet === undefined) return false;
  spawnSync(aptGet, ['install', '-y', '--no-install-recommends', ...engine.packages], { stdio: 'inherit' });
  return engine.isInstalled();
}

async function run(engine: Engine): Promise<boolean> {
  const startMs = performance.now();
  const failure = await playDayOffline(engine).then(
    () => null,
    (error: unknown) => error,
  );
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1).padStart(6);
  console.log(`${failure === null ? 'ok  ' : 'FAIL'} ${seconds} s  ${engine.name}`);
  if (failure !== null) console.log(`\n${failure instanceof Error ? failure.message : failure}\n`);
  return failure === null;
}

await ensureBuild();
const results: boolean[] = [];
for (const engine of ENGINES) {
  if (isInstalled(engine)) results.push(await run(engine));
  else
    console.log(
      `--            ${engine.name} is not installed: apt-get install ${engine.packages.join(' ')}`,
    );
}
const failed = results.filter((isPassed) => !isPassed).length;
process.exitCode = failed > 0 || results.length === 0 ? 1 : 0;
console.log(`\n${results.length - failed} passed, ${failed} failed`);
