import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import react from '@vitejs/plugin-react';
import { build, type Plugin, type Rolldown } from 'vite';
import { shareMarker } from '#shared/service/rules.ts';
import { ROOT } from './root.ts';

type RenderedPage = { title: string; markup: string };
/** The exports of app/prerender.tsx, which has to be built for Node and so cannot be imported here. */
type Renderer = {
  renderPages(): Promise<Record<string, RenderedPage>>;
  renderSharePages(): Promise<Record<string, string>>;
};
type AllPages = { pages: Record<string, RenderedPage>; sharePages: Record<string, string> };

/** Inline scripts, styles and handlers, which the Content-Security-Policy forbids. */
const INLINE_CODE = /<script(?![^>]* src=)|<style|<[^>]+ (?:style|on\w+)=/;

// The modules that the pages import dynamically when they start, and that are therefore preloaded.
const AUTH_MODULES = ['/app/routes/account/auth.tsx'];
const SHARE_MODULES = ['/app/routes/polls/share.tsx'];
const HOME_MODULES = ['/app/routes/polls/home.tsx', '/sync/client/engine.ts', '/sync/client/browser.ts'];

const PRELOAD = /\n\s*<link rel="modulepreload"[^>]* href="\/([^"]+)">/g;

/**
 * Removes Vite's preload tags from the page and returns their files. The callers add them at the end of the head, so that the
 * preloads start as late as possible: behind a service worker, Chromium fetches a module twice, with a warning, if its preload
 * has completed before the script requests it.
 */
function extractPreloads(page: string): { html: string; preloaded: string[] } {
  return {
    html: page.replace(PRELOAD, ''),
    preloaded: [...page.matchAll(PRELOAD)].flatMap(([, file]) => file ?? []),
  };
}

/** A preload tag with low priority, so that scripts do not compete with the style sheet and the font. */
const preloadOf = (file: string) =>
  `\n    <link rel="modulepreload" fetchpriority="low" crossorigin href="/${file}">`;

/** Builds app/prerender.tsx for Node and renders the pages with it. */
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
        // This build's style sheets are not used.
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

/** The chunk of a module and all chunks that it imports, except the entry script, which every page loads anyway. */
function chunksOf(bundle: Rolldown.OutputBundle, module: string): string[] {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
  const main = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(module));
  if (main === undefined) throw new Error(`${module} has no chunk of its own`);
  const names = new Set([main.fileName]);
  for (const name of names)
    for (const imported of chunks.find((chunk) => chunk.fileName === name)?.imports ?? [])
      names.add(imported);
  return [...names].filter((name) => !chunks.some((chunk) => chunk.isEntry && chunk.fileName === name));
}

/** Inserts the rendered markup, the title and the preloads into `index.html`. */
function toPage(index: string, name: string, { title, markup }: RenderedPage, chunks: string[]): string {
  const script = /\n\s*<script type="module"[^>]*><\/script>/;
  const [tag = ''] = script.exec(index) ?? [];
  const scripts = [tag.replace('<script', '<script fetchpriority="low"'), ...chunks.map(preloadOf)];
  // Scripts in a template do not run: `public/early.js` takes them out once the page is painted. /home usually comes from the
  // service worker, with cached scripts, and the shell of a share link has nothing to paint, so neither needs that.
  if (name !== 'home' && markup !== '') {
    scripts.unshift('\n    <template>');
    scripts.push('\n    </template>');
  }
  // `BottomNav` sets this class, but only once the app runs.
  const htmlTag = name === 'home' ? '<html class="has-bottom-nav"' : '<html';
  return index
    .replace('<html', htmlTag)
    .replace(script, '')
    .replace(/<title>.*<\/title>/, `<title>${title}</title>`)
    .replace('</head>', () => `${scripts.join('')}\n  </head>`)
    .replace('<div id="root"></div>', () => `<div id="root" data-page="${name}">${markup}</div>`);
}

/** The template of a share link's page, with markers that the server replaces. Without markup it has no `data-page`. */
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

/** Adds the prerendered pages to the client's build: copies of `index.html` with the markup from app/prerender.tsx. */
export function prerender(define: Record<string, string>): Plugin {
  return {
    name: 'prerender',
    apply: 'build',
    generateBundle: {
      order: 'post',
      async handler(_options, bundle) {
        const index = bundle['index.html'];
        if (index?.type !== 'asset') return;
        const { html, preloaded } = extractPreloads(String(index.source));
        index.source = html.replace('</head>', () => `${preloaded.map(preloadOf).join('')}\n  </head>`);
        const chunksOfAll = (modules: string[]) => {
          const chunks = new Set(modules.flatMap((module) => chunksOf(bundle, module)));
          // What the entry script imports comes last, since its preload must not complete too early (`extractPreloads`).
          return [...chunks].filter((file) => !preloaded.includes(file)).concat(preloaded);
        };
        const emit = (fileName: string, source: string) => {
          const inline = INLINE_CODE.exec(source);
          if (inline !== null) this.error(`${fileName}: the Content-Security-Policy forbids ${inline[0]}`);
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
