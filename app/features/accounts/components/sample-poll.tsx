import { Check } from 'lucide-react';
import type { CSSProperties } from 'react';
import { Avatar } from '#app/ui/avatar.tsx';
import { Coin } from '#app/ui/coin.tsx';
import { Letter } from '#app/ui/letter.tsx';
import { OrBadge } from '#app/ui/or-badge.tsx';
import { Beach, Mountains } from './scenery.tsx';

/** What the product is, in one picture: a poll that has just been voted on. Always in the dark theme. */
export function SamplePoll() {
  return (
    <div data-theme="dark" aria-hidden="true" className="relative bg-transparent">
      <div className="rounded-card bg-base-100 p-2 text-base-content shadow-floating">
        <p className="px-2 pt-1.5 pb-3 font-bold font-display text-question">Sand or summit?</p>
        <div className="pair">
          <div className="pair-half" data-option={1} data-chosen="yes">
            <Beach />
            <span className="pair-tick">
              <Check size={20} strokeWidth={2.6} />
            </span>
          </div>
          <div className="pair-half" data-option={2} data-chosen="no">
            <Mountains />
          </div>
          <OrBadge />
        </div>
        <div className="mt-2 grid grid-cols-[auto_1fr_auto] items-center gap-2.5 px-1">
          <Percent value={58} />
          <div className="bar" style={{ '--share': 0.58 } as CSSProperties} />
          <span className="text-muted">
            <Percent value={42} />
          </span>
        </div>
        <div className="flex items-center justify-between px-1 pt-1 font-semibold text-body">
          <span className="flex items-center gap-2">
            <Letter option={1} chosen /> Sand
          </span>
          <span className="flex items-center gap-2">
            Summit <Letter option={2} />
          </span>
        </div>
        <div className="flex items-center justify-between px-1.5 py-1.5 text-body">
          <span className="flex items-center gap-2 font-semibold">
            <Avatar name="priya" /> Priya
          </span>
          <span className="text-muted">32 votes · 3 days left</span>
        </div>
      </div>
    </div>
  );
}

function Percent({ value }: { value: number }) {
  return (
    <span className="figures font-extrabold text-figure">
      {value}
      <small className="text-[1.125rem]">%</small>
    </span>
  );
}

export function PlusOne() {
  return (
    <span
      aria-hidden="true"
      className="flex rotate-6 items-center gap-2 rounded-full bg-primary-content px-3.5 py-2 text-primary"
    >
      <Coin size={22} />
      <span className="figures font-extrabold text-question">+1</span>
    </span>
  );
}
