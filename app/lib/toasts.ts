import { atom } from 'jotai';
import { store } from './store.ts';

type ToastTone = 'success' | 'error' | 'pending';
/** The topic of a toast. A new toast replaces older toasts with the same topic, or with the same title and text. */
type Topic =
  | 'auth'
  | 'account'
  | 'create-poll'
  | 'draft'
  | 'vote'
  | 'hide'
  | 'copy'
  | 'maker'
  | 'outbox'
  | 'admin'
  | 'install'
  | `admin ${string}`
  | `poll ${string}`;
/** A button of a toast, which closes it. */
type ToastAction = { label: string; run(): void };
export type Toast = {
  id: number;
  tone: ToastTone;
  title: string;
  text: string | null;
  topic: Topic | null;
  action: ToastAction | null;
};
type ToastOptions = { topic?: Topic; action?: ToastAction; durationMs?: number };

/** How long toasts are shown; errors take longer to read. */
const TOAST_DURATIONS_MS: Record<ToastTone, number> = { success: 5_000, pending: 5_000, error: 10_000 };
/** Long enough to reach the button of a toast with a keyboard or a screen reader. */
const ACTION_TOAST_MS = 10_000;
/** How long a toast stays after the pointer and the focus have left it. */
const RELEASED_TOAST_MS = 5_000;
const TOASTS_MAX = 3;

export const toastsAtom = atom<readonly Toast[]>([]);

let lastId = 0;

/** The id of the newest toast. Later toasts have higher ids. */
export function newestToastId(): number {
  return lastId;
}

export function showToast(
  tone: ToastTone,
  title: string,
  text: string | null = null,
  {
    topic,
    action,
    durationMs = action === undefined ? TOAST_DURATIONS_MS[tone] : ACTION_TOAST_MS,
  }: ToastOptions = {},
): void {
  lastId += 1;
  const toast: Toast = { id: lastId, tone, title, text, topic: topic ?? null, action: action ?? null };
  const isOutdated = (other: Toast) =>
    (other.title === title && other.text === text) || (topic !== undefined && other.topic === topic);
  store.set(toastsAtom, (toasts) =>
    [...toasts.filter((other) => !isOutdated(other)), toast].slice(-TOASTS_MAX),
  );
  dismissAfter(toast.id, durationMs);
}

const timers = new Map<number, ReturnType<typeof setTimeout>>();
/** The toasts that have the pointer or the focus. */
const keptIds = new Set<number>();

function dismissAfter(id: number, delayMs: number): void {
  timers.set(
    id,
    setTimeout(() => dismissToast(id), delayMs),
  );
}

/** Keeps a toast until it is released, while it has the pointer or the focus. */
export function keepToast(id: number): void {
  keptIds.add(id);
  clearTimeout(timers.get(id));
}

export function releaseToast(id: number): void {
  if (keptIds.delete(id)) dismissAfter(id, RELEASED_TOAST_MS);
}

export function dismissToast(id: number): void {
  clearTimeout(timers.get(id));
  timers.delete(id);
  keptIds.delete(id);
  store.set(toastsAtom, (toasts) => toasts.filter((toast) => toast.id !== id));
}

export function dismissTopic(topic: Topic): void {
  store.set(toastsAtom, (toasts) => toasts.filter((toast) => toast.topic !== topic));
}

/** Dismisses all toasts, for example because they are about a user who has left. */
export function dismissToasts(): void {
  store.set(toastsAtom, []);
}

/** The number of open modal dialogs, which show the toasts because they make the page inert. */
export const openModalCountAtom = atom(0);
