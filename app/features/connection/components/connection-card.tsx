import { useAtomValue } from 'jotai';
import { Check, Clock, CloudOff, type LucideIcon, RefreshCw, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Link } from 'react-router-dom';
import { putCardAway, tryConnection } from '#app/features/connection/actions.ts';
import { putAwayAtom } from '#app/features/connection/atoms.ts';
import { connectionState } from '#app/lib/engine/engine.ts';
import { useOutboxCounts } from '#app/lib/engine/outbox-counts.ts';
import { useUserDb } from '#app/lib/engine/session.ts';
import { useObservable } from '#app/lib/engine/use-observable.ts';
import { paths } from '#app/paths.ts';
import { BottomStack } from '#app/ui/bottom-stack.tsx';
import { QuietButton } from '#app/ui/button.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { type ConnectionWords, connectionWords } from './connection-words.ts';

type Phase = 'disconnected' | 'failed' | 'restored';

const LOOKS: Record<Phase, { icon: LucideIcon; disc: string }> = {
  disconnected: { icon: RefreshCw, disc: 'bg-primary text-primary-content' },
  failed: { icon: CloudOff, disc: 'bg-error text-error-content' },
  restored: { icon: Check, disc: 'bg-success text-success-content' },
};

const GAP_PX = 12;

/** Says what is wrong with the way to the server. It stands beside the page, never over it, and takes no focus. */
export default function ConnectionCard() {
  const state = useObservable(connectionState);
  const isPutAway = useAtomValue(putAwayAtom);
  const isSignedIn = useUserDb() !== null;
  const counts = useOutboxCounts();
  const words = connectionWords(state, isSignedIn ? counts : null);
  const { phase } = state;
  return (
    <BottomStack layer="connection">
      <div role="status">
        {words !== null && !isPutAway && phase !== 'connected' && phase !== 'checking' && (
          <Card words={words} phase={phase} />
        )}
      </div>
    </BottomStack>
  );
}

function Card({ words, phase }: { words: ConnectionWords; phase: Phase }) {
  const card = useRef<HTMLDivElement>(null);
  useMakingRoom(card);
  const { icon, disc } = LOOKS[phase];
  const isFailed = phase === 'failed';
  return (
    <div
      ref={card}
      className="pointer-events-auto relative flex animate-enter items-start gap-2.5 rounded-picture border border-base-300 bg-base-100 p-3 shadow-floating"
    >
      <span className={`grid size-8 shrink-0 place-items-center rounded-full ${disc}`}>
        <Icon of={icon} size={16} />
      </span>
      <div className="min-w-0 flex-1 self-center text-muted text-small">
        <p className="font-bold font-display text-base-content text-key">{words.title}</p>
        <p>
          {words.text}
          {words.outbox !== null && !isFailed && (
            <>
              {' · '}
              <OutboxLink>{words.outbox}</OutboxLink>
            </>
          )}
        </p>
        {words.outbox !== null && isFailed && (
          <p className="flex items-center gap-1.5 pt-0.5 font-semibold text-base-content">
            <Icon of={Clock} size={16} />
            <OutboxLink>{words.outbox}</OutboxLink>
          </p>
        )}
        {isFailed && (
          <QuietButton onClick={tryConnection} className="relative z-1 mt-2 px-5">
            <Icon of={RefreshCw} size={16} /> Refresh
          </QuietButton>
        )}
      </div>
      <button
        type="button"
        aria-label="Put away"
        onClick={putCardAway}
        className="relative z-1 -m-1.5 grid size-11 shrink-0 cursor-pointer place-items-center rounded-full"
      >
        <Icon of={X} />
      </button>
    </div>
  );
}

/** What waits or came back can be looked at: the whole card leads there. */
function OutboxLink({ children }: { children: string }) {
  return (
    <Link to={paths.outbox.href()} className="after:absolute after:inset-0 after:rounded-picture">
      {children}
    </Link>
  );
}

/** The page grows by the card's height, so that its end can be scrolled out from under it. */
function useMakingRoom(card: { current: HTMLElement | null }): void {
  useEffect(() => {
    if (card.current === null) return;
    const { style } = document.documentElement;
    const observer = new ResizeObserver(([entry]) => {
      const height = entry?.borderBoxSize[0]?.blockSize ?? 0;
      style.setProperty('--card-height', `${Math.ceil(height) + GAP_PX}px`);
    });
    observer.observe(card.current);
    return () => {
      observer.disconnect();
      style.removeProperty('--card-height');
    };
  }, [card]);
}
