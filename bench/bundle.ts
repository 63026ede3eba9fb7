import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'vite';
import { ensureBuild } from '#scripts/run/children.ts';
import { DIST_APP, ROOT } from '#scripts/run/root.ts';
import type { Row } from './load/measurements.ts';
import { withFolder } from './load/temporary-folder.ts';

const KB = 1_000;

/** A minimal app with React, a router and atoms. */
const BASELINE_SOURCE = `
  import { StrictMode } from 'react';
  import { createRoot } from 'react-dom/client';
  import { BrowserRouter, Link, Navigate, Route, Routes, useParams, useSearchParams } from 'react-router-dom';
  import { atom, useAtom } from 'jotai';
  import { jsx } from 'react/jsx-runtime';
  const count = atom(0);
  function Page() {
    const [value, setValue] = useAtom(count);
    const { id } = useParams();
    const [query] = useSearchParams();
    return jsx(Link, { to: '/' + id + query, onClick: () => setValue(value + 1), children: value });
  }
  const routes = [jsx(Route, { path: '/:id', element: jsx(Page, {}) }, 1), jsx(Route, { path: '*', element: jsx(Navigate, { to: '/1' }) }, 2)];
  createRoot(document.body).render(jsx(StrictMode, { children: jsx(BrowserRouter, { children: jsx(Routes, { children: routes }) }) }));
`;
const BASELINE_ENTRY = 'virtual:baseline';

/** No such file exists; with this path, the imports resolve from the project's node_modules. */
const BASELINE_PATH = join(ROOT, 'baseline.js');

/** Builds the minimal app in `folder`; resolves with the size of its script in bytes, compressed with brotli. */
async function buildBaseline(folder: string): Promise<number> {
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    plugins: [
      {
        name: 'baseline',
        resolveId: (id) => (id === BASELINE_ENTRY ? BASELINE_PATH : null),
        load: (id) => (id === BASELINE_PATH ? BASELINE_SOURCE : null),
      },
    ],
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2023',
      rolldownOptions: { input: BASELINE_ENTRY },
    },
  });
  return sizeOf(folder, (name) => name.endsWith('.js'));
}

/**
 * The total size in bytes of the files for which `includes` is true, compressed with brotli unless their format already is.
 * Throws if there are fewer than `filesMin`.
 */
async function sizeOf(folder: string, includes: (path: string) => boolean, filesMin = 1): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const files = names.filter((name) => !/\.(?:br|gz)$/.test(name) && includes(name));
  if (files.length < filesMin) throw new Error(`${folder} lacks files to be measured`);
  const sizes = files.map(async (name) => {
    const path = join(folder, name);
    if (!(await stat(path)).isFile()) return 0;
    const bytes = await readFile(path);
    return /\.(?:woff2|png|webp)$/.test(name) ? bytes.length : brotliCompressSync(bytes).length;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Measures the script of the first screen against a minimal app, and the sizes of other parts of the build. */
export async function benchBundle(): Promise<Row[]> {
  await ensureBuild();
  // The shell, which every page contains; /auth and /home also preload the script of their screen.
  const page = await readFile(join(DIST_APP, 'index.html'), 'utf8');
  const worker = await readFile(join(DIST_APP, 'sw.js'), 'utf8');
  // early.js is not in the bundle, and the minimal app has no such script.
  const isFirstScreen = (name: string) =>
    name.endsWith('.js') && name !== 'early.js' && page.includes(`/${name}`);
  const isPrecached = (name: string) => worker.includes(`"${name}"`);
  const [baseline, first, engine, css, html, font, precache] = await Promise.all([
    withFolder(buildBaseline),
    sizeOf(DIST_APP, isFirstScreen),
    sizeOf(DIST_APP, (name) => /^assets\/(?:engine|dexie|contract)-[\w-]{8}\.js$/.test(name), 3),
    sizeOf(DIST_APP, (name) => name.endsWith('.css') && page.includes(`/${name}`)),
    sizeOf(DIST_APP, (name) => name === 'index.html'),
    sizeOf(DIST_APP, (name) => name.endsWith('.woff2')),
    sizeOf(DIST_APP, isPrecached),
  ]);
  const size = (metric: string, bytes: number, max: number): Row => ({
    metric: `${metric}, kB`,
    value: `${(bytes / KB).toFixed(1)} kB`,
    comparedValue: bytes / KB,
    target: { max },
  });
  return [
    {
      metric: 'script of the first screen ÷ React, router and atoms alone',
      value: `${(first / KB).toFixed(1)} of ${(baseline / KB).toFixed(1)} kB`,
      comparedValue: first / baseline,
      target: { max: 1.15 },
    },
    size('Dexie, engine and contract', engine, 45),
    size('CSS of the first screen', css, 10),
    size('HTML', html, 8),
    size('font', font, 35),
    size('what a device keeps for offline use', precache, 450),
  ];
}
