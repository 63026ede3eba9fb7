import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { type ManifestOptions, VitePWA } from 'vite-plugin-pwa';
import { prerender } from '#scripts/run/prerender.ts';
import { stripContract } from '#scripts/run/strip-contract.ts';

function readJson<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as T;
}

const { version } = readJson<{ version: string }>('package.json');
const define = { __APP_VERSION__: JSON.stringify(version) };
const apiOrigin = `http://127.0.0.1:${process.env.API_PORT ?? '3000'}`;

/** The one font is part of the first paint: its hashed name is known only after bundling. */
function preloadFont(): Plugin {
  return {
    name: 'preload-font',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const fonts = Object.keys(bundle ?? {}).filter((file) => file.endsWith('.woff2'));
        return fonts.map((file) => ({
          tag: 'link',
          attrs: { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${file}`, crossorigin: '' },
          injectTo: 'head' as const,
        }));
      },
    },
  };
}

/** Names for debugging, and calls that do not say to be pure, keep components of the router that nothing uses. */
function dropUnusedOfRouter(): Plugin {
  return {
    name: 'drop-unused-of-router',
    apply: 'build',
    transform: {
      filter: { id: /\/node_modules\/react-router\// },
      handler: (code) => ({
        code: code
          .replaceAll(/^\w+\.displayName = "\w+";$/gm, '')
          .replaceAll(/\w+\.forwardRef\(/g, '/* @__PURE__ */ $&'),
        map: null,
      }),
    },
  };
}

/** The administrators' tools work online only: no device keeps them. */
const ONLINE_ONLY_FOLDER = 'assets/admin/';
const ONLINE_ONLY =
  /\/(?:app\/features|shared)\/admin\/|\/styles\/admin\.css|\/@tanstack\/|\/@zxcvbn-ts\/|\/password-(?:meter|strength)\./;

/** What a device keeps must not need what it does not keep. */
function keepOnlineOnlyApart(): Plugin {
  return {
    name: 'keep-online-only-apart',
    apply: 'build',
    generateBundle(_options, bundle) {
      const isOnlineOnly = (file: string) => file.startsWith(ONLINE_ONLY_FOLDER);
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk' || isOnlineOnly(chunk.fileName)) continue;
        const needed = chunk.imports.find(isOnlineOnly);
        if (needed) this.error(`${chunk.fileName} is kept on devices, but needs ${needed}, which is not`);
      }
    },
  };
}

export default defineConfig({
  root: 'app',
  publicDir: 'public',
  define,
  // The package offers its build with warnings for developers alone, by any name.
  resolve: {
    alias: [
      {
        find: /^react-router$/,
        replacement: fileURLToPath(new URL('../production/index.mjs', import.meta.resolve('react-router'))),
      },
      // And this one its build for the browsers of today, but not under its own name.
      {
        find: /^dexie$/,
        replacement: fileURLToPath(new URL('dist/modern/dexie.mjs', import.meta.resolve('dexie'))),
      },
    ],
  },
  build: {
    outDir: '../dist/app',
    emptyOutDir: true,
    target: 'es2023',
    // Browsers that know oklch(): no second set of colours for older ones.
    cssTarget: ['chrome111', 'firefox128', 'safari16.4'],
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Constants are put in where they are used, not exported from one chunk to the next.
      optimization: { inlineConst: { mode: 'all' } },
      output: {
        codeSplitting: {
          // A group takes what it names, not all that this needs.
          includeDependenciesRecursively: false,
          // One file for all that the first paint needs: fewer requests, and it compresses better.
          groups: [
            { name: 'first', tags: ['$initial'], priority: 1 },
            // And one for the calls with their schemas, which the engine needs anyway.
            {
              name: 'contract',
              test: /\/shared\/(?!admin\/|accounts\/passkeys\/contract\.|accounts\/password-rules\.|notifications\/text-rules\.)|\/node_modules\/zod\//,
            },
            // And one for the small parts that several screens share.
            { name: 'shared', test: /\/app\/(?:ui|lib)\/|\/lucide-react\/|\/jotai\//, minShareCount: 2 },
            // And one for what most screens with polls share, but not for what the page of a share link needs, too.
            {
              name: 'polls',
              test: /\/app\/features\/(?:polls|points|warm-up)\/(?!.*\/(?:results|poll-image|card-state|image-sources|use-preview)\.)/,
              minShareCount: 3,
            },
            // And one for what the engine and the screens share.
            { name: 'sync', test: /\/sync\/|\/uuid\/|\/dexie-react-hooks\//, minShareCount: 2 },
          ],
        },
        chunkFileNames: ({ moduleIds }) =>
          moduleIds.some((id) => ONLINE_ONLY.test(id))
            ? `${ONLINE_ONLY_FOLDER}[name]-[hash].js`
            : 'assets/[name]-[hash].js',
      },
    },
  },
  server: {
    host: '127.0.0.1',
    proxy: {
      '/api': apiOrigin,
      '/uploads': apiOrigin,
      '/ws': { target: apiOrigin, ws: true },
    },
  },
  plugins: [
    react(),
    tailwindcss(),
    preloadFont(),
    keepOnlineOnlyApart(),
    dropUnusedOfRouter(),
    stripContract(),
    prerender(define),
    VitePWA({
      strategies: 'injectManifest',
      srcDir: '../sync/worker',
      filename: 'sw.ts',
      injectRegister: false,
      manifest: readJson<Partial<ManifestOptions>>('manifest.webmanifest'),
      injectManifest: {
        buildPlugins: { vite: [stripContract()] },
        globPatterns: [
          '{index,auth,auth-signup,home}.html',
          'early.js',
          'assets/**/*.{js,css,woff2}',
          'placeholder-*.svg',
          'icons/{favicon.svg,icon-192.png}',
        ],
        globIgnores: [`${ONLINE_ONLY_FOLDER}**`, 'assets/admin-*.css'],
      },
    }),
  ],
});
