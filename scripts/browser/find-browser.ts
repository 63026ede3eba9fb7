import { delimiter, join } from 'node:path';
import { isProgram } from './find-program.ts';
import { type Chromium, unpackChromium } from './unpack-chromium.ts';

const PROGRAM_NAMES = [
  'google-chrome',
  'google-chrome-stable',
  'chromium',
  'chromium-browser',
  'chrome',
  'microsoft-edge',
];

function usualPaths(): string[] {
  if (process.platform === 'darwin') {
    return ['Google Chrome', 'Chromium', 'Microsoft Edge'].map(
      (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
    );
  }
  if (process.platform === 'win32') {
    const folders = [process.env.PROGRAMFILES, process.env['PROGRAMFILES(X86)'], process.env.LOCALAPPDATA];
    return folders.flatMap((folder) =>
      folder
        ? [
            join(folder, 'Google', 'Chrome', 'Application', 'chrome.exe'),
            join(folder, 'Microsoft', 'Edge', 'Application', 'msedge.exe'),
          ]
        : [],
    );
  }
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return PROGRAM_NAMES.flatMap((name) =>
    [...folders, '/opt/google/chrome'].map((folder) => join(folder, name)),
  );
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
  const installed = usualPaths().find(isProgram);
  if (installed) return { executablePath: installed, args: [], env: process.env };
  throw new Error('No Chrome or Chromium found: install one, or set CHROME_PATH to its executable file');
}
