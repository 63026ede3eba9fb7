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

test('the task runs once, in a task of its own after the next frame', async () => {
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

function hidePage() {
  page.visibilityState = 'hidden';
  page.dispatchEvent(new Event('visibilitychange'));
}

test.each([
  ['is hidden', hidePage],
  ['is left', () => window.dispatchEvent(new Event('pagehide'))],
])('the task runs at once when the page %s before the frame', async (_how, leave) => {
  const task = vi.fn();
  afterPaint(task);
  leave();
  expect(task).toHaveBeenCalledOnce();
  for (const frame of frames) frame();
  // Long enough for a task that the frame has queued.
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(task).toHaveBeenCalledOnce();
});

test('in a hidden page the task runs at once', () => {
  page.visibilityState = 'hidden';
  const task = vi.fn();
  afterPaint(task);
  expect(task).toHaveBeenCalledOnce();
});
