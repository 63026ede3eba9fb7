import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import react from '@vitejs/plugin-react';
import { build, type Plugin, type Rolldown } from 'vite';
import { ROOT } from './root.ts';

/** Of app/prerender.tsx, which this file cannot import: it is built for Node first. */
type Rendered = { title: string; markup: string };
type Renderer = { renderPages(): Promise<Record<string, Rendered>> };

/** Not in the policy's `script-src` and `style-src`. */
const INLINE = /<script(?![^>]* src=)|<style|<[^>]+ (?:style|on\w+)=/;

/** What a page needs as soon as its main script runs, which would otherwise find out only then. */
const AUTH_MODULES = ['/app/routes/auth.tsx'];
const HOME_MODULES = ['/app/routes/home.tsx', '/sync/client/engine.ts', '/sync/client/browser.ts'];

/** Builds app/prerender.tsx for Node, and renders the pages with it. */
async function renderPages(define: Record<string, string>): Promise<Record<string, Rendered>> {
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
    return await renderer.renderPages();
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

/** `index.html` with what React has rendered. The scripts must not compete with the style sheet and the font. */
function toPage(index: string, name: string, { title, markup }: Rendered, chunks: string[]): string {
  const script = /\n\s*<script type="module"[^>]*><\/script>/;
  const [tag = ''] = script.exec(index) ?? [];
  const scripts = [
    tag.replace('<script', '<script fetchpriority="low"'),
    ...chunks
      .filter((file) => !index.includes(file))
      .map((file) => `\n    <link rel="modulepreload" fetchpriority="low" crossorigin href="/${file}">`),
    ...(markup.includes('<form') ? ['\n    <script src="/early-clicks.js"></script>'] : []),
  ];
  return index
    .replace(script, '')
    .replace(/<title>.*<\/title>/, `<title>${title}</title>`)
    .replace('</head>', () => `${scripts.join('')}\n  </head>`)
    .replace('<div id="root"></div>', () => `<div id="root" data-page="${name}">${markup}</div>`);
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
        for (const [name, rendered] of Object.entries(await renderPages(define))) {
          const modules = name === 'home' ? HOME_MODULES : AUTH_MODULES;
          const chunks = [...new Set(modules.flatMap((module) => chunksOf(bundle, module)))];
          const source = toPage(String(index.source), name, rendered, chunks);
          const inline = INLINE.exec(source);
          if (inline !== null) this.error(`${name}.html: the policy forbids ${inline[0]}`);
          this.emitFile({ type: 'asset', fileName: `${name}.html`, source });
        }
      },
    },
  };
}
