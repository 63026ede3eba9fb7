import { atom } from 'jotai';
import { store } from './store.ts';

export type ToastTone = 'good' | 'bad' | 'waiting';
export type Toast = { id: number; tone: ToastTone; title: string; text: string | null };

const TOAST_MS = 5_000;
const TOASTS_MAX = 3;

export const toastsAtom = atom<readonly Toast[]>([]);

let lastId = 0;

/** Shows a short message; errors stay until they are put away, the rest goes after 5 s. Gives its id. */
export function showToast(tone: ToastTone, title: string, text: string | null = null): number {
  lastId += 1;
  const toast: Toast = { id: lastId, tone, title, text };
  store.set(toastsAtom, (toasts) =>
    [...toasts.filter((other) => other.title !== title || other.text !== text), toast].slice(-TOASTS_MAX),
  );
  if (tone !== 'bad') setTimeout(() => dismissToast(toast.id), TOAST_MS);
  return toast.id;
}

export function dismissToast(id: number): void {
  store.set(toastsAtom, (toasts) => toasts.filter((toast) => toast.id !== id));
}

/** How many modal dialogs are open: they make the page inert, so the toasts move inside. */
export const openModalsAtom = atom(0);
