import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { inflate } from '@sparticuz/chromium';
import { ROOT } from '#scripts/run/root.ts';

const PACKED = join(ROOT, 'node_modules', '@sparticuz', 'chromium', 'bin');
/** Beside the packages, so that both go together; in the home folder when somebody else installed them. */
const PLACES = [
  join(ROOT, 'node_modules', '.cache', 'chromium'),
  join(homedir(), '.cache', 'this-or-that-chromium'),
];
const ARCHIVES = ['chromium.br', 'fonts.tar.br', 'swiftshader.tar.br', 'al2023.tar.br'];

function fontsConfig(folder: string): string {
  const folders = [join(folder, 'fonts', 'fonts'), '/usr/share/fonts', '/usr/local/share/fonts'];
  const escaped = folders.map((each) => each.replaceAll('&', '&amp;').replaceAll('<', '&lt;'));
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>${escaped.map((each) => `<dir>${each}</dir>`).join('')}<cachedir prefix="xdg">fontconfig</cachedir></fontconfig>
`;
}

/** The package always unpacks into the folder for temporary files, which it looks up at the call. */
function inflateInto(folder: string): Promise<string[]> {
  const usual = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  const running = ARCHIVES.map((name) => inflate(join(PACKED, name)));
  if (usual === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = usual;
  return Promise.all(running);
}

async function unpackTo(place: string): Promise<void> {
  await mkdir(dirname(place), { recursive: true });
  const scratch = await mkdtemp(`${place}-`);
  try {
    await inflateInto(scratch);
    await writeFile(join(scratch, 'fonts.conf'), fontsConfig(place));
    await chmod(join(scratch, 'chromium'), 0o755);
    await chmod(scratch, 0o755);
    // In one step, so that a second run at the same time sees either nothing or all of it.
    await rename(scratch, place);
  } catch (error) {
    await rm(scratch, { recursive: true, force: true });
    if (!isUnpacked(place)) throw error;
  }
}

function isUnpacked(place: string): boolean {
  return existsSync(join(place, 'chromium'));
}

async function unpack(): Promise<string> {
  const found = PLACES.find(isUnpacked);
  if (found) return found;
  const failures: unknown[] = [];
  for (const place of PLACES) {
    try {
      await unpackTo(place);
      return place;
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AggregateError(failures, `Chromium could not be unpacked to ${PLACES.join(' or ')}`);
}

/** How to launch a Chromium: its program, extra arguments, and its whole environment. */
export type Chromium = { executablePath: string; args: string[]; env: NodeJS.ProcessEnv };

/**
 * The Chromium of `@sparticuz/chromium`, unpacked into `node_modules/.cache` once, with the libraries and fonts
 * that a bare machine lacks. The package's own launch arguments are for a cloud function (one process, no web
 * security) and would change what is tested.
 */
export async function unpackChromium(): Promise<Chromium> {
  const place = await unpack();
  const libraries = [join(place, 'al2023', 'lib'), process.env.LD_LIBRARY_PATH];
  return {
    executablePath: join(place, 'chromium'),
    args: ['--font-render-hinting=none', '--disable-gpu'],
    env: {
      ...process.env,
      LD_LIBRARY_PATH: libraries.filter((path) => path).join(':'),
      FONTCONFIG_FILE: join(place, 'fonts.conf'),
    },
  };
}
