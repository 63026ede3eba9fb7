import { atom } from 'jotai';
import { store } from './store.ts';

export type ToastTone = 'good' | 'bad' | 'waiting';
/** What a message is about: a newer one takes the place of the older. */
type Topic =
  | 'auth'
  | 'account'
  | 'create-poll'
  | 'vote'
  | 'copy'
  | 'admin'
  | `admin ${string}`
  | `poll ${string}`;
export type Toast = { id: number; tone: ToastTone; title: string; text: string | null; topic: Topic | null };

/** A message goes by itself after this; one about a failure is read more slowly. */
const TOAST_MS: Record<ToastTone, number> = { good: 5_000, waiting: 5_000, bad: 10_000 };
const TOASTS_MAX = 3;

export const toastsAtom = atom<readonly Toast[]>([]);

let lastId = 0;

/** The id of the newest message; those that come later have higher ones. */
export function newestToastId(): number {
  return lastId;
}

/** Shows a short message, which goes by itself: after 5 s, an error after 10 s. */
export function showToast(
  tone: ToastTone,
  title: string,
  text: string | null = null,
  topic: Topic | null = null,
): void {
  lastId += 1;
  const toast: Toast = { id: lastId, tone, title, text, topic };
  const isOutdated = (other: Toast) =>
    (other.title === title && other.text === text) || (topic !== null && other.topic === topic);
  store.set(toastsAtom, (toasts) =>
    [...toasts.filter((other) => !isOutdated(other)), toast].slice(-TOASTS_MAX),
  );
  setTimeout(() => dismissToast(toast.id), TOAST_MS[tone]);
}

export function dismissToast(id: number): void {
  store.set(toastsAtom, (toasts) => toasts.filter((toast) => toast.id !== id));
}

/** Says that nothing was put on the clipboard. */
export function sayCopyFailed(): void {
  showToast('bad', 'Failed to copy', 'Please try again or copy manually', 'copy');
}

/** Puts away what was said about something whose reason is gone. */
export function dismissTopic(topic: Topic): void {
  store.set(toastsAtom, (toasts) => toasts.filter((toast) => toast.topic !== topic));
}

/** How many modal dialogs are open: they make the page inert, so the toasts move inside. */
export const openModalsAtom = atom(0);
