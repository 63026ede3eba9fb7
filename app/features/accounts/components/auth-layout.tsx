import { type ReactNode, useEffect } from 'react';
import { focusPendingMain } from '#app/lib/navigation/focus-main.ts';
import { Wordmark } from '#app/ui/wordmark.tsx';
import { SIGNUP_BONUS_POINTS, VOTE_POINTS } from '#shared/points/constants.ts';
import { CREATE_POLL_POINTS_MIN } from '#shared/polls/constants.ts';
import { DemoPoll, PlusOne } from './demo-poll.tsx';

type Props = {
  /** Replaces the description of the product. */
  lead?: string | undefined;
  /** Replaces the demo poll. */
  card?: ReactNode;
  children: ReactNode;
};

/** The layout of screens for visitors: a panel that describes the product, and a form. */
export function AuthLayout({ lead, card, children }: Props) {
  useEffect(focusPendingMain, []);
  return (
    <div className="min-h-dvh md:grid md:grid-cols-[minmax(0,12fr)_minmax(0,13fr)]">
      <SidePanel lead={lead} card={card} />
      <main
        id="main"
        tabIndex={-1}
        className="relative rounded-t-card bg-base-100 px-5 pt-4 pb-8 max-md:-mt-6 max-md:min-h-[calc(100dvh-14rem)] md:grid md:content-center md:rounded-none md:bg-base-200 md:px-8"
      >
        <div className="mx-auto w-full max-w-96">{children}</div>
      </main>
    </div>
  );
}

const FACTS = [
  { value: `+${SIGNUP_BONUS_POINTS}`, text: 'to start with' },
  { value: `+${VOTE_POINTS}`, text: 'for every vote' },
  { value: `${CREATE_POLL_POINTS_MIN}`, text: 'points get you a poll of your own' },
];

function SidePanel({ lead, card }: Pick<Props, 'lead' | 'card'>) {
  return (
    <header className="auth-panel relative overflow-hidden bg-primary text-primary-content max-md:h-[15.5rem] max-md:px-6 max-md:pt-[calc(1.25rem+env(safe-area-inset-top))] md:flex md:flex-col md:p-12">
      <h1 className="text-[min(1.825rem,9vw)] md:text-[3.25rem]">
        <Wordmark />
      </h1>
      <p className="pt-1.5 font-semibold text-small md:max-w-96 md:pt-5 md:text-[1.25rem] md:leading-[1.75rem]">
        {lead ?? (
          <>
            Let the crowd decide!
            <span className="max-md:hidden"> Two images, one tap, and everybody’s answer.</span>
          </>
        )}
      </p>
      <div className="absolute top-6 right-5 md:hidden">
        <PlusOne />
      </div>
      <div className="-rotate-3 relative mx-auto w-full max-w-80 max-md:mt-3 md:mx-0 md:mt-12 md:max-w-96">
        {card ?? <DemoPoll />}
        <div className="-right-6 absolute top-10 max-md:hidden">
          <PlusOne />
        </div>
      </div>
      <dl className="mt-auto grid gap-2 pt-10 max-md:hidden">
        {FACTS.map(({ value, text }) => (
          <div key={text} className="grid grid-cols-[3rem_1fr] items-baseline gap-2">
            <dt className="figures font-extrabold text-question">{value}</dt>
            <dd className="font-medium text-field">{text}</dd>
          </div>
        ))}
      </dl>
    </header>
  );
}
