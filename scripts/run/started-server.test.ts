import { afterEach, expect, test, vi } from 'vitest';
import { VARIABLE_NAMES } from '#api/env.ts';
import { serverEnv } from './started-server.ts';

afterEach(() => vi.unstubAllEnvs());

test('no configuration of the developer’s environment reaches a started server', () => {
  for (const name of VARIABLE_NAMES) vi.stubEnv(name, 'of the developer');
  const settings = {
    PORT: '4000',
    PUBLIC_URL: 'http://localhost:4000',
    DATA_DIR: '/tmp/data',
    OWNER_PASSWORD: 'owner of the tests',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'warn',
  };
  const env = serverEnv(settings);
  const configured = VARIABLE_NAMES.filter((name) => env[name] !== '');
  expect(Object.fromEntries(configured.map((name) => [name, env[name]]))).toEqual(settings);
});
