import { createMiddleware } from 'hono/factory';
import type { AppContext, AppEnv } from './app-env.ts';

/** Something that is done before the handler of a request runs. Throws to refuse the request. */
export type Step = (c: AppContext) => void | Promise<void>;

/** Middleware that takes `steps` one after another. Hono creates several promises for each middleware, but none for a step. */
export function before(...steps: readonly Step[]) {
  return createMiddleware<AppEnv>(async (c, next) => {
    for (const step of steps) {
      const pending = step(c);
      if (pending !== undefined) await pending;
    }
    await next();
  });
}
