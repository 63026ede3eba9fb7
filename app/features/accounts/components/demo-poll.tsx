import { Check } from 'lucide-react';
import { Avatar } from '#app/ui/avatar.tsx';
import { Coin } from '#app/ui/icon.tsx';
import { OptionLetter, OrBadge } from '#app/ui/option-letter.tsx';

/** A decorative poll that has just been voted on, always in the dark theme. */
export function DemoPoll() {
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
          {/* A class, because the content security policy forbids style attributes in prerendered HTML. */}
          <div className="bar [--share:0.58]" />
          <span className="text-muted">
            <Percent value={42} />
          </span>
        </div>
        <div className="flex items-center justify-between px-1 pt-1 font-semibold text-body">
          <span className="flex items-center gap-2">
            <OptionLetter option={1} chosen /> Sand
          </span>
          <span className="flex items-center gap-2">
            Summit <OptionLetter option={2} />
          </span>
        </div>
        <div className="flex items-center justify-between px-1.5 py-1.5 text-body">
          <span className="flex items-center gap-2 font-semibold">
            <Avatar name="priya" /> Priya
          </span>
          <span className="text-muted">31 votes · 3 days left</span>
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

function Beach() {
  return (
    <svg viewBox="0 0 200 200" className="pair-image" aria-hidden="true">
      <path fill="#6ec6f1" d="M0 0h200v200H0z" />
      <path fill="#a9def6" d="M0 70h200v40H0z" />
      <circle cx="146" cy="44" r="24" fill="#ffe08a" />
      <path fill="#fff" d="M30 44a13 13 0 0 1 25-5 11 11 0 0 1 20 5 8 8 0 0 1 0 14H33a8 8 0 0 1-3-14z" />
      <path fill="#1f8fb8" d="M0 100h200v60H0z" />
      <path fill="#33a9cc" d="M0 118q50-10 100 0t100 0v42H0z" />
      <path fill="#f3ead8" d="M0 150q60-18 110-6t90-10v66H0z" />
      <path fill="#f0d49b" d="M0 160q60-20 110-6t90-10v56H0z" />
      <path stroke="#8a5a3c" strokeWidth="5" strokeLinecap="round" d="m62 96 22 82" />
      <path fill="#ef5a3d" d="M14 112a49 49 0 0 1 95-26z" />
      <path fill="#fff6e8" d="M38 105q2-32 21-42 4 18 1 36zM83 93q-8-20-24-30 22 0 50 23z" />
      <path fill="#5b62c9" d="m118 172 46-5 3 14-46 6z" />
      <path fill="#e8e9fb" d="m130 171 8-1 3 15-8 1z" />
    </svg>
  );
}

function Mountains() {
  return (
    <svg viewBox="0 0 200 200" className="pair-image" aria-hidden="true">
      <path fill="#3b3f80" d="M0 0h200v200H0z" />
      <path fill="#7a4b86" d="M0 46h200v154H0z" />
      <path fill="#c4607f" d="M0 84h200v116H0z" />
      <circle cx="62" cy="92" r="26" fill="#ffdf9e" />
      <path fill="#6a4c86" d="m36 156 74-108 74 108z" />
      <path fill="#f4eef5" d="m110 48 25 36-11 8-10-9-12 11-12-11-9 7z" />
      <path fill="#4c3a72" d="m-10 170 62-66 48 50 52-58 60 74v30H-10z" />
      <path fill="#2c2550" d="M0 160q50-16 100 0t100-4v44H0z" />
      <path
        fill="#1c1a3a"
        d="m22 128 13 26h-7l11 22H5l11-22H9zM160 120l15 30h-8l12 26h-38l12-26h-8zM186 136l11 22h-6l9 18h-28l9-18h-6z"
      />
    </svg>
  );
}
