import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { afterPaint } from './after-paint.ts';

let page: EventTarget & { visibilityState: DocumentVisibilityState };
let frames: (() => void)[];

beforeEach(() => {
  page = Object.assign(new EventTarget(), { visibilityState: 'visible' as const });
  frames = [];
  vi.stubGlobal('document', page);
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame));
});
afterEach(() => {
  vi.unstubAllGlobals();
});

test('the task waits for the frame, and is done once', async () => {
  const task = vi.fn();
  afterPaint(task);
  expect(task).not.toHaveBeenCalled();
  for (const frame of frames) frame();
  expect(task).not.toHaveBeenCalled();
  await vi.waitFor(() => expect(task).toHaveBeenCalledOnce());
  page.dispatchEvent(new Event('visibilitychange'));
  window.dispatchEvent(new Event('pagehide'));
  expect(task).toHaveBeenCalledOnce();
});

test.each([
  ['is hidden', () => page.dispatchEvent(new Event('visibilitychange'))],
  ['is left', () => window.dispatchEvent(new Event('pagehide'))],
])('a page that %s before the frame does the task at once', async (_how, leave) => {
  const task = vi.fn();
  afterPaint(task);
  leave();
  expect(task).toHaveBeenCalledOnce();
  for (const frame of frames) frame();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(task).toHaveBeenCalledOnce();
});

test('in a hidden page no frame is awaited', () => {
  page.visibilityState = 'hidden';
  const task = vi.fn();
  afterPaint(task);
  expect(task).toHaveBeenCalledOnce();
});
