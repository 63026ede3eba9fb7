import { atom } from 'jotai';
import { prefersReducedMotion } from './media.ts';
import { store } from './store.ts';

/** One +1 on its way from a key to the points badge; places are in viewport pixels. */
export type Flight = { id: number; fromX: number; fromY: number };

export const flightsAtom = atom<readonly Flight[]>([]);

let lastId = 0;

export function launchPoint(from: Element): void {
  if (prefersReducedMotion()) return;
  const { left, top, width, height } = from.getBoundingClientRect();
  lastId += 1;
  const flight = { id: lastId, fromX: left + width / 2, fromY: top + height / 2 };
  store.set(flightsAtom, (flights) => [...flights, flight]);
}

export function landPoint(id: number): void {
  store.set(flightsAtom, (flights) => flights.filter((flight) => flight.id !== id));
}
