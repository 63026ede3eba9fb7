import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import react from '@vitejs/plugin-react';
import { build, type Plugin, type Rolldown } from 'vite';
import { shareMarker } from '#shared/service/rules.ts';
import { ROOT } from './root.ts';

/** Of app/prerender.tsx, which this file cannot import: it is built for Node first. */
type Rendered = { title: string; markup: string };
type Renderer = {
  renderPages(): Promise<Record<string, Rendered>>;
  renderSharePages(): Promise<Record<string, string>>;
};
type AllPages = { pages: Record<string, Rendered>; sharePages: Record<string, string> };

/** Not in the policy's `script-src` and `style-src`. */
const INLINE = /<script(?![^>]* src=)|<style|<[^>]+ (?:style|on\w+)=/;

/** What a page needs as soon as its main script runs, which would otherwise find out only then. */
const AUTH_MODULES = ['/app/routes/account/auth.tsx'];
const SHARE_MODULES = ['/app/routes/polls/share.tsx'];
const HOME_MODULES = ['/app/routes/polls/home.tsx', '/sync/client/engine.ts', '/sync/client/browser.ts'];

const PRELOAD = /\n\s*<link rel="modulepreload"[^>]* href="\/([^"]+)">/g;

/**
 * Without the preloads of what the first script imports, and their files. They belong at the end: where a service worker
 * answers, Chromium fetches a module twice, and warns of it, whose preload is complete before the script asks for it.
 */
function takePreloads(page: string): { html: string; preloaded: string[] } {
  return {
    html: page.replace(PRELOAD, ''),
    preloaded: [...page.matchAll(PRELOAD)].flatMap(([, file]) => file ?? []),
  };
}

/** The scripts must not compete with the style sheet and the font. */
const preloadOf = (file: string) =>
  `\n    <link rel="modulepreload" fetchpriority="low" crossorigin href="/${file}">`;

/** Builds app/prerender.tsx for Node, and renders the pages with it. */
async function renderPages(define: Record<string, string>): Promise<AllPages> {
  const outDir = await mkdtemp(join(tmpdir(), 'prerender-'));
  try {
    await build({
      configFile: false,
      root: join(ROOT, 'app'),
      publicDir: false,
      logLevel: 'warn',
      define,
      plugins: [react()],
      ssr: { noExternal: true },
      build: {
        ssr: 'prerender.tsx',
        outDir,
        emptyOutDir: false,
        // The style sheets are those of the client's build.
        cssMinify: false,
        rolldownOptions: { output: { entryFileNames: 'prerender.mjs', chunkFileNames: '[name]-[hash].mjs' } },
      },
    });
    const renderer: Renderer = await import(pathToFileURL(join(outDir, 'prerender.mjs')).href);
    return { pages: await renderer.renderPages(), sharePages: await renderer.renderSharePages() };
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
}

/** The chunk of a module and the chunks that it imports, except the first script, which the page has anyway. */
function chunksOf(bundle: Rolldown.OutputBundle, module: string): string[] {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
  const main = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(module));
  if (main === undefined) throw new Error(`${module} has no chunk of its own`);
  const names = new Set([main.fileName]);
  for (const name of names)
    for (const each of chunks.find((one) => one.fileName === name)?.imports ?? []) names.add(each);
  return [...names].filter((name) => !chunks.some((each) => each.isEntry && each.fileName === name));
}

/** `index.html` with what React has rendered. */
function toPage(index: string, name: string, { title, markup }: Rendered, chunks: string[]): string {
  const script = /\n\s*<script type="module"[^>]*><\/script>/;
  const [tag = ''] = script.exec(index) ?? [];
  const scripts = [tag.replace('<script', '<script fetchpriority="low"'), ...chunks.map(preloadOf)];
  // /home mostly comes from the service worker, where scripts are at hand; the shell of a share link has nothing to paint.
  if (name !== 'home' && markup !== '') {
    scripts.unshift('\n    <template>');
    scripts.push('\n    </template>');
  }
  return index
    .replace(script, '')
    .replace(/<title>.*<\/title>/, `<title>${title}</title>`)
    .replace('</head>', () => `${scripts.join('')}\n  </head>`)
    .replace('<div id="root"></div>', () => `<div id="root" data-page="${name}">${markup}</div>`);
}

/** The page of a share link, with the places of what the server puts in. It has a name of its own in the app only with content. */
function toTemplate(index: string, markup: string, chunks: string[]): string {
  const page = toPage(index, 'share', { title: shareMarker('head'), markup }, chunks);
  return page
    .replace(/<title>(.*)<\/title>/, '$1')
    .replace(/\n\s*<meta\s+name="description"[^>]*>/, '')
    .replace(
      '<div id="root" data-page="share">',
      () => `<div id="root"${markup === '' ? '' : ' data-page="share"'} data-poll="${shareMarker('data')}">`,
    );
}

/** Adds the prerendered pages to the build of the client: `index.html` with the markup of app/prerender.tsx. */
export function prerender(define: Record<string, string>): Plugin {
  return {
    name: 'prerender',
    apply: 'build',
    generateBundle: {
      order: 'post',
      async handler(_options, bundle) {
        const index = bundle['index.html'];
        if (index?.type !== 'asset') return;
        const { html, preloaded } = takePreloads(String(index.source));
        index.source = html.replace('</head>', () => `${preloaded.map(preloadOf).join('')}\n  </head>`);
        const chunksOfAll = (modules: string[]) => {
          const chunks = new Set(modules.flatMap((each) => chunksOf(bundle, each)));
          return [...chunks].filter((file) => !preloaded.includes(file)).concat(preloaded);
        };
        const emit = (fileName: string, source: string) => {
          const inline = INLINE.exec(source);
          if (inline !== null) this.error(`${fileName}: the policy forbids ${inline[0]}`);
          this.emitFile({ type: 'asset', fileName, source });
        };
        const { pages, sharePages } = await renderPages(define);
        for (const [name, rendered] of Object.entries(pages)) {
          const chunks = chunksOfAll(name === 'home' ? HOME_MODULES : AUTH_MODULES);
          emit(`${name}.html`, toPage(html, name, rendered, chunks));
        }
        for (const [name, markup] of Object.entries(sharePages)) {
          emit(`${name}.template`, toTemplate(html, markup, chunksOfAll(SHARE_MODULES)));
        }
      },
    },
  };
}
