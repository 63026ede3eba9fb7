import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { type ManifestOptions, VitePWA } from 'vite-plugin-pwa';
import { firstScriptBudget } from '#scripts/run/first-script-budget.ts';
import { prerender } from '#scripts/run/prerender.ts';
import { stripContract } from '#scripts/run/strip-contract.ts';

function readJson<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as T;
}

const { version } = readJson<{ version: string }>('package.json');
const define = { __APP_VERSION__: JSON.stringify(version) };
const apiOrigin = `http://127.0.0.1:${process.env.API_PORT ?? '3000'}`;

/** Preloads the font, which the first paint needs. Its hashed name is only known after bundling. */
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

/**
 * Lets the bundler tree-shake unused components and contexts of the router: removes `displayName` assignments, and marks calls
 * that create components and contexts as pure, since either would keep them in the bundle.
 */
function treeShakeRouter(): Plugin {
  return {
    name: 'tree-shake-router',
    apply: 'build',
    transform: {
      filter: { id: /\/node_modules\/react-router\// },
      handler: (code) => ({
        code: code
          .replaceAll(/^\w+\.displayName = "\w+";$/gm, '')
          .replaceAll(/\w+\.(?:createContext|forwardRef|memo)\(/g, '/* @__PURE__ */ $&'),
        map: null,
      }),
    },
  };
}

/** Chunks that are only used online (administration, the password meter): the service worker does not precache them. */
const ONLINE_ONLY_FOLDER = 'assets/admin/';
const ONLINE_ONLY =
  /\/(?:app\/features|shared)\/admin\/|\/styles\/admin\.css|\/@tanstack\/|\/@zxcvbn-ts\/|\/password-(?:meter|strength)\./;

/** Fails the build if a precached chunk imports a chunk that is not precached. */
function checkPrecachedImports(): Plugin {
  return {
    name: 'check-precached-imports',
    apply: 'build',
    generateBundle(_options, bundle) {
      const isOnlineOnly = (file: string) => file.startsWith(ONLINE_ONLY_FOLDER);
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk' || isOnlineOnly(chunk.fileName)) continue;
        const imported = chunk.imports.find(isOnlineOnly);
        if (imported) this.error(`${chunk.fileName} is precached, but imports ${imported}, which is not`);
      }
    },
  };
}

export default defineConfig({
  root: 'app',
  publicDir: 'public',
  define,
  resolve: {
    alias: [
      // The package's exports resolve only to its development build, which contains warnings for developers.
      {
        find: /^react-router$/,
        replacement: fileURLToPath(new URL('../production/index.mjs', import.meta.resolve('react-router'))),
      },
      // The package's exports do not include its build for modern browsers.
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
    // The oldest browsers that support oklch(), so that no fallback colours are generated.
    cssTarget: ['chrome111', 'firefox128', 'safari16.4'],
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Inlines constants instead of exporting them from one chunk to another.
      optimization: { inlineConst: { mode: 'all' } },
      output: {
        codeSplitting: {
          // A group contains only the modules that it matches, not their dependencies.
          includeDependenciesRecursively: false,
          groups: [
            // Everything that the first paint needs: a single file takes fewer requests and compresses better.
            { name: 'first', tags: ['$initial'], priority: 1 },
            // The API calls and their schemas, all of which the engine needs.
            {
              name: 'contract',
              test: /\/shared\/(?!admin\/|accounts\/passkeys\/contract\.|accounts\/password-rules\.|notifications\/text-rules\.)|\/node_modules\/zod\//,
            },
            // Small UI parts that several screens share. The login screen needs them before the engine.
            {
              name: 'shared',
              test: /\/app\/(?:ui|lib)\/(?!engine\/(?!online\.)|drafts\/)|\/lucide-react\/|\/jotai\//,
              minShareCount: 2,
            },
            // Modules that most screens with polls share, except those that the page of a share link needs too.
            {
              name: 'polls',
              test: /\/app\/features\/(?:polls|points|warm-up)\/(?!.*\/(?:results|poll-image|card-state|image-sources|use-preview)\.)/,
              minShareCount: 3,
            },
            // Modules that the engine and the screens share.
            {
              name: 'sync',
              test: /\/sync\/|\/app\/lib\/(?:engine\/(?!online\.)|drafts\/)|\/uuid\/|\/dexie-react-hooks\//,
              minShareCount: 2,
            },
          ],
        },
        // The script of the first screen contains the names of all chunks, of which the hashes are least compressible.
        hashCharacters: 'hex',
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
    checkPrecachedImports(),
    firstScriptBudget(),
    treeShakeRouter(),
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
