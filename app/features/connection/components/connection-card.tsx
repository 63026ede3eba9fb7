import { useAtomValue } from 'jotai';
import { Check, Clock, CloudOff, type LucideIcon, RefreshCw } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Link } from 'react-router-dom';
import { dismissConnectionCard, tryConnection } from '#app/features/connection/actions.ts';
import { isCardDismissedAtom } from '#app/features/connection/atoms.ts';
import { connectionState } from '#app/lib/engine/engine.ts';
import { useSession } from '#app/lib/engine/session.ts';
import { useObservable } from '#app/lib/engine/use-observable.ts';
import { useUserQuery } from '#app/lib/engine/user-query.ts';
import { paths } from '#app/paths.ts';
import { SecondaryButton } from '#app/ui/button.tsx';
import { CloseButton, MessageStack } from '#app/ui/feedback/toast-region.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { readOutbox } from '#sync/client/cache/reads.ts';
import { type ConnectionMessage, connectionMessage, countChanges } from './connection-message.ts';

type Phase = 'disconnected' | 'failed' | 'restored';

const PHASE_STYLES: Record<Phase, { icon: LucideIcon; discClassName: string }> = {
  disconnected: { icon: RefreshCw, discClassName: 'bg-primary text-primary-content' },
  failed: { icon: CloudOff, discClassName: 'bg-error text-error-content' },
  restored: { icon: Check, discClassName: 'bg-success text-success-content' },
};

/** Between the end of the page and the card. */
const GAP_PX = 12;

/** Shows problems with the connection. Never takes the focus; the page reserves space for the card. */
export default function ConnectionCard() {
  const state = useObservable(connectionState);
  const isDismissed = useAtomValue(isCardDismissedAtom);
  const session = useSession();
  const counts = countChanges(useUserQuery(readOutbox) ?? { needsDecision: [], waiting: [] });
  const isLoggedIn = session.status === 'user' && !session.needsLogin;
  const message = connectionMessage(state, counts, isLoggedIn);
  const { phase } = state;
  return (
    <MessageStack place="connection">
      <div role="status">
        {message !== null && !isDismissed && phase !== 'connected' && phase !== 'checking' && (
          <Card message={message} phase={phase} />
        )}
      </div>
    </MessageStack>
  );
}

function Card({ message, phase }: { message: ConnectionMessage; phase: Phase }) {
  const card = useRef<HTMLDivElement>(null);
  useReservedSpace(card);
  const { icon, discClassName } = PHASE_STYLES[phase];
  const isFailed = phase === 'failed';
  const isRestored = phase === 'restored';
  // The whole card is a link to the outbox.
  const outbox = message.outbox && (
    <Link to={paths.outbox.href()} className="after:absolute after:inset-0 after:rounded-image">
      {message.outbox}
    </Link>
  );
  return (
    <div
      ref={card}
      className="connection-card pointer-events-auto relative flex animate-enter items-start gap-2.5 rounded-image border border-base-300 bg-base-100 p-3 shadow-floating"
    >
      <span className={`grid size-8 shrink-0 place-items-center rounded-full ${discClassName}`}>
        <Icon icon={icon} size={16} />
      </span>
      <div className="connection-message min-w-0 flex-1 self-center text-muted text-small">
        <p className="font-bold font-display text-base-content text-label">{message.title}</p>
        <p className="connection-text">
          {message.text}
          {outbox !== null && isRestored && <> · {outbox}</>}
        </p>
        {outbox !== null && !isRestored && (
          <p className="flex items-center gap-1.5 pt-0.5 font-semibold text-base-content">
            <Icon icon={Clock} size={16} />
            {outbox}
          </p>
        )}
        {isFailed && (
          <SecondaryButton onClick={tryConnection} className="relative z-1 mt-2 px-5">
            <Icon icon={RefreshCw} size={16} /> <span className="connection-refresh">Refresh</span>
          </SecondaryButton>
        )}
      </div>
      <CloseButton aria-label="Hide" onClick={dismissConnectionCard} className="relative z-1 -m-1.5" />
    </div>
  );
}

/** Adds the card's height to the page, so that the card never covers the end of the page. */
function useReservedSpace(card: { current: HTMLElement | null }): void {
  useEffect(() => {
    if (card.current === null) return;
    const { style } = document.documentElement;
    const observer = new ResizeObserver(([entry]) => {
      const height = entry?.borderBoxSize[0]?.blockSize ?? 0;
      style.setProperty('--connection-card-height', `${Math.ceil(height) + GAP_PX}px`);
    });
    observer.observe(card.current);
    return () => {
      observer.disconnect();
      style.removeProperty('--connection-card-height');
    };
  }, [card]);
}
