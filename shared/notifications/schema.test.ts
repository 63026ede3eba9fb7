import { expect, test } from 'vitest';
import { pushMessageSchema } from './schema.ts';

const message = { userId: 1, tag: 'notification-1', title: 'Hi', body: '' };
const isAccepted = (path: string) => pushMessageSchema.safeParse({ ...message, path }).success;

test.each(['/', '/notifications', '/poll/0190f6a2-5f7e-7c3a-9a51-1c2d3e4f5a6b'])(
  'a push message can open %s of the app',
  (path) => {
    expect(isAccepted(path)).toBe(true);
  },
);

test.each([
  'https://elsewhere.example',
  'notifications',
  '//elsewhere.example',
  '/\\elsewhere.example',
  '/\t/elsewhere.example',
  '/\n\\elsewhere.example',
])('a push message cannot open %j, which is not an absolute path of the app', (path) => {
  expect(isAccepted(path)).toBe(false);
});
