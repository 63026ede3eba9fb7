import { delimiter, join } from 'node:path';
import { isProgram } from './find-program.ts';
import { type Chromium, unpackChromium } from './unpack-chromium.ts';

const NAMES = [
  'google-chrome',
  'google-chrome-stable',
  'chromium',
  'chromium-browser',
  'chrome',
  'microsoft-edge',
];

function usualPlaces(): string[] {
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
  return NAMES.flatMap((name) => [...folders, '/opt/google/chrome'].map((folder) => join(folder, name)));
}

/**
 * The browser of the tests: the one that `CHROME_PATH` names, else (Linux on x64) the Chromium that comes with the
 * project's packages, else an installed Chrome, Chromium or Edge. Throws in words when there is none.
 */
export async function findBrowser(): Promise<Chromium> {
  const named = process.env.CHROME_PATH;
  if (named) {
    if (!isProgram(named)) throw new Error(`CHROME_PATH names ${named}, which is no program`);
    return { executablePath: named, args: [], env: process.env };
  }
  if (process.platform === 'linux' && process.arch === 'x64') return unpackChromium();
  const installed = usualPlaces().find(isProgram);
  if (installed) return { executablePath: installed, args: [], env: process.env };
  throw new Error('No Chrome or Chromium found: install one, or set CHROME_PATH to its program');
}
