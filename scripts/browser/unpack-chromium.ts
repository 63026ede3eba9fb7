import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { inflate } from '@sparticuz/chromium';
import { ROOT } from '#scripts/run/root.ts';

const PACKED = join(ROOT, 'node_modules', '@sparticuz', 'chromium', 'bin');
/** Unpacked beside the packages, or in the home folder if `node_modules` is not writable. */
const TARGET_FOLDERS = [
  join(ROOT, 'node_modules', '.cache', 'chromium'),
  join(homedir(), '.cache', 'this-or-that-chromium'),
];
const ARCHIVES = ['chromium.br', 'fonts.tar.br', 'swiftshader.tar.br', 'al2023.tar.br'];

/** The configuration of fontconfig: the unpacked fonts and those of the machine, but Open Sans for text on every machine. */
function fontsConfig(folder: string): string {
  const folders = [join(folder, 'fonts', 'fonts'), '/usr/share/fonts', '/usr/local/share/fonts'];
  const escaped = folders.map((path) => path.replaceAll('&', '&amp;').replaceAll('<', '&lt;'));
  const aliases = ['system-ui', 'sans-serif', 'sans'].map(
    (name) =>
      `<alias binding="strong"><family>${name}</family><prefer><family>Open Sans</family></prefer></alias>`,
  );
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>${aliases.join('')}${escaped.map((path) => `<dir>${path}</dir>`).join('')}<cachedir prefix="xdg">fontconfig</cachedir></fontconfig>
`;
}

/** The package always unpacks to `os.tmpdir()`, which it reads during the call; so TMPDIR is changed for that time. */
function inflateInto(folder: string): Promise<string[]> {
  const originalTmpdir = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  const inflated = ARCHIVES.map((name) => inflate(join(PACKED, name)));
  if (originalTmpdir === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = originalTmpdir;
  return Promise.all(inflated);
}

async function unpackTo(target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const scratch = await mkdtemp(`${target}-`);
  try {
    await inflateInto(scratch);
    await writeFile(join(scratch, 'fonts.conf'), fontsConfig(target));
    await chmod(join(scratch, 'chromium'), 0o755);
    await chmod(scratch, 0o755);
    // A rename is atomic: a concurrent run sees either no folder or a complete one.
    await rename(scratch, target);
  } catch (error) {
    await rm(scratch, { recursive: true, force: true });
    if (!isUnpacked(target)) throw error;
  }
}

function isUnpacked(target: string): boolean {
  return existsSync(join(target, 'chromium'));
}

/** Replaces a `fonts.conf` that an earlier version of this script has written. */
async function updateFontsConfig(target: string): Promise<void> {
  const path = join(target, 'fonts.conf');
  const content = fontsConfig(target);
  if ((await readFile(path, 'utf8')) === content) return;
  const newPath = `${path}-${process.pid}`;
  await writeFile(newPath, content);
  await rename(newPath, path);
}

async function unpack(): Promise<string> {
  const existing = TARGET_FOLDERS.find(isUnpacked);
  if (existing) {
    await updateFontsConfig(existing).catch((error: NodeJS.ErrnoException) => {
      // If the folder is not writable, its older configuration is used, which works, too.
      if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code ?? '')) throw error;
    });
    return existing;
  }
  const failures: unknown[] = [];
  for (const target of TARGET_FOLDERS) {
    try {
      await unpackTo(target);
      return target;
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AggregateError(failures, `Chromium could not be unpacked to ${TARGET_FOLDERS.join(' or ')}`);
}

/** How to launch Chromium: its executable, additional arguments, and its complete environment. */
export type Chromium = { executablePath: string; args: string[]; env: NodeJS.ProcessEnv };

/**
 * The Chromium of `@sparticuz/chromium` with its libraries and fonts, which a minimal machine lacks. It is unpacked at the
 * first call. The package's own launch arguments are not used: they are for cloud functions (a single process, no web
 * security).
 */
export async function unpackChromium(): Promise<Chromium> {
  const target = await unpack();
  const libraries = [join(target, 'al2023', 'lib'), process.env.LD_LIBRARY_PATH];
  return {
    executablePath: join(target, 'chromium'),
    args: ['--font-render-hinting=none', '--disable-gpu'],
    env: {
      ...process.env,
      LD_LIBRARY_PATH: libraries.filter((path) => path).join(':'),
      FONTCONFIG_FILE: join(target, 'fonts.conf'),
    },
  };
}
