import { findProgram, isProgram, pathFolders } from './find-program.ts';
import { type Chromium, unpackChromium } from './unpack-chromium.ts';

const PROGRAM_NAMES = [
  'google-chrome',
  'google-chrome-stable',
  'chromium',
  'chromium-browser',
  'chrome',
  'microsoft-edge',
];

function findInstalled(): string | undefined {
  if (process.platform === 'darwin') {
    return ['Google Chrome', 'Chromium', 'Microsoft Edge']
      .map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`)
      .find(isProgram);
  }
  return findProgram(PROGRAM_NAMES, [...pathFolders(), '/opt/google/chrome']);
}

/**
 * Finds the browser for the tests: the program at `CHROME_PATH`, else (on Linux x64) the Chromium in the project's packages,
 * else an installed Chrome, Chromium or Edge. Throws an error that says what to do if there is none.
 */
export async function findBrowser(): Promise<Chromium> {
  const chosen = process.env.CHROME_PATH;
  if (chosen) {
    if (!isProgram(chosen)) throw new Error(`CHROME_PATH is ${chosen}, which is not an executable file`);
    return { executablePath: chosen, args: [], env: process.env };
  }
  if (process.platform === 'linux' && process.arch === 'x64') return unpackChromium();
  const installed = findInstalled();
  if (installed) return { executablePath: installed, args: [], env: process.env };
  throw new Error('No Chrome or Chromium found: install one, or set CHROME_PATH to its executable file');
}
