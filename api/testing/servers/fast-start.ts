import { enableCompileCache, registerHooks } from 'node:module';
import { join } from 'node:path';

/** Preloaded into a server in tests, to start it faster: Node's compiled code is kept in a cache that all runs share. */
enableCompileCache(join(import.meta.dirname, '../../../node_modules/.cache/compiled'));

/** Node would parse Drizzle's package.json of 180 kB for each of its modules, only to learn that they are ES modules. */
const DRIZZLE = new URL('.', import.meta.resolve('drizzle-orm')).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier.startsWith('.') && context.parentURL?.startsWith(DRIZZLE)
      ? { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true }
      : next(specifier, context),
});
