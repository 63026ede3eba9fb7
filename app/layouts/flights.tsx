import { useAtomValue } from 'jotai';
import { useEffect, useRef } from 'react';
import { type Flight, flightsAtom, landPoint } from '#app/lib/flight.ts';
import { Coin } from '#app/ui/icon.tsx';

const DELAY_MS = 30;
const TRAVEL_MS = 220;

export function Flights() {
  const flights = useAtomValue(flightsAtom);
  return flights.map((flight) => <FlyingPoint key={flight.id} flight={flight} />);
}

function FlyingPoint({ flight }: { flight: Flight }) {
  const disc = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const target = document.querySelector('[data-points-badge]')?.getBoundingClientRect();
    if (disc.current === null || target === undefined) {
      landPoint(flight.id);
      return;
    }
    const place = (x: number, y: number, scale: number) =>
      `translate(${x}px, ${y}px) translate(-50%, -50%) scale(${scale})`;
    const travel = disc.current.animate(
      [
        { transform: place(flight.fromX, flight.fromY, 0.6), opacity: 0 },
        { transform: place(flight.fromX, flight.fromY - 16, 1), opacity: 1, offset: 0.2 },
        {
          transform: place(target.left + target.width / 2, target.top + target.height / 2, 0.8),
          opacity: 0.9,
        },
      ],
      { duration: TRAVEL_MS, delay: DELAY_MS, easing: 'cubic-bezier(0.2, 0.8, 0.2, 1)', fill: 'both' },
    );
    travel.onfinish = () => landPoint(flight.id);
    return () => travel.cancel();
  }, [flight]);
  return (
    <div
      ref={disc}
      aria-hidden="true"
      className="pointer-events-none fixed top-0 left-0 z-30 flex items-center gap-1.5 rounded-full bg-neutral px-2.5 py-1 text-neutral-content opacity-0 shadow-lifted"
    >
      <Coin size={16} />
      <span className="figures font-bold text-key">+1</span>
    </div>
  );
}
