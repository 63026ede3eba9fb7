import type { Engine } from './engines/engine.ts';
import { firefox } from './engines/firefox.ts';
import { runOfflineJourney } from './engines/offline-journey.ts';
import { webkit } from './engines/webkit.ts';
import { ensureBuild } from './run/children.ts';
import { installIfRequested } from './run/install-packages.ts';

/**
 * Runs the offline journey in Firefox and WebKit, which the end-to-end tests do not cover, and skips a browser that is not
 * installed. `--install` first installs missing browsers, as root. Exits with 1 if the journey fails or no browser is
 * installed.
 */

const ENGINES: readonly Engine[] = [firefox, webkit];

/** Returns whether a browser is installed, after installing a missing one with `--install`. */
function ensureInstalled(engine: Engine): boolean {
  if (!engine.isInstalled()) installIfRequested(engine.packages);
  return engine.isInstalled();
}

async function run(engine: Engine): Promise<boolean> {
  const startMs = performance.now();
  const failure = await runOfflineJourney(engine).then(
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
  if (ensureInstalled(engine)) results.push(await run(engine));
  else
    console.log(
      `--            ${engine.name} is not installed: apt-get install ${engine.packages.join(' ')}`,
    );
}
const failed = results.filter((isPassed) => !isPassed).length;
process.exitCode = failed > 0 || results.length === 0 ? 1 : 0;
console.log(`\n${results.length - failed} passed, ${failed} failed`);
