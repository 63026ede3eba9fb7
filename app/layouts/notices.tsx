import { useAtom, useAtomValue } from 'jotai';
import { useEffect, useEffectEvent, useRef } from 'react';
import { createPath, useLocation, useNavigate } from 'react-router-dom';
import { forgetRecoveryCodes } from '#app/features/accounts/lib/recovery-codes.ts';
import ConnectionCard from '#app/features/connection/components/connection-card.tsx';
import { InstallOffer } from '#app/features/install/components/install-offer.tsx';
import { announceOutcome } from '#app/features/polls/actions.ts';
import { carryOverMailSwitch } from '#app/features/settings/actions.ts';
import { followStoredTheme, THEME_KEY } from '#app/lib/browser/theme.ts';
import { useOnVisible } from '#app/lib/browser/use-on-visible.ts';
import { deleteExpiredDrafts } from '#app/lib/drafts/draft-store.ts';
import { evictionState, sessionState } from '#app/lib/engine/engine.ts';
import { EVICTION_TITLE, evictionMessage } from '#app/lib/engine/eviction-message.ts';
import { useUser } from '#app/lib/engine/session.ts';
import { useObservable } from '#app/lib/engine/use-observable.ts';
import { useUserQuery } from '#app/lib/engine/user-query.ts';
import { endPointAnimation, type PointAnimation, pointAnimationsAtom } from '#app/lib/point-animation.ts';
import { dismissToasts, showToast } from '#app/lib/toasts.ts';
import { updateAtom } from '#app/lib/updates/update-offer.ts';
import { paths } from '#app/paths.ts';
import { PrimaryButton } from '#app/ui/button.tsx';
import {
  CloseButton,
  MessageStack,
  type Place,
  TOAST_KEY,
  ToastRegion,
} from '#app/ui/feedback/toast-region.tsx';
import { Coin } from '#app/ui/icon.tsx';
import { readReceivedPhotos } from '#sync/client/device/received-photos.ts';
import { countUnannounced, takeUnannounced } from '#sync/client/outbox/unannounced.ts';
import { OPEN_PATH, type OpenPath } from '#sync/protocol/worker.ts';

/** Where the screens with buttons at the bottom show their toasts. */
const TOAST_PLACES: Readonly<Partial<Record<string, Place>>> = {
  [paths.auth.href()]: 'top',
  [paths.explore.href()]: 'deck',
};

/**
 * Everything that can appear over any screen: connection card, install offer, toasts, update prompt and the animated +1. Also does
 * what concerns no single screen and can wait until the page has loaded, such as deleting expired drafts.
 */
export default function Notices() {
  const { pathname } = useLocation();
  const animations = useAtomValue(pointAnimationsAtom);
  const userId = useUser()?.id;
  useEffect(() => {
    // Version 1.0 stored the switch for mails on the device only.
    if (userId !== undefined) void carryOverMailSwitch(userId);
  }, [userId]);
  // Nothing of a user is shown to the next one, nor kept after a logout.
  useEffect(() => {
    if (userId === undefined) return;
    return () => {
      dismissToasts();
      forgetRecoveryCodes();
    };
  }, [userId]);
  const eviction = useObservable(evictionState);
  useEffect(() => {
    if (eviction !== null) showToast('error', EVICTION_TITLE, evictionMessage(eviction));
  }, [eviction]);
  useOnVisible(announceRefusals, (useUserQuery(countUnannounced) ?? 0) > 0);
  useOpenedPaths();
  useEffect(() => void deleteExpired().catch(() => undefined), []);
  useThemeOfOtherTabs();
  useToastKey();
  return (
    <>
      <ConnectionCard />
      <InstallOffer />
      <MessageStack place={TOAST_PLACES[pathname] ?? 'bottom'}>
        <ToastRegion />
        <UpdatePrompt />
      </MessageStack>
      {animations.map((animation) => (
        <AnimatedPoint key={animation.id} animation={animation} />
      ))}
    </>
  );
}

/** Announces the refusals that only the service worker has received. */
async function announceRefusals(): Promise<void> {
  const session = sessionState.get();
  if (session.status !== 'user') return;
  for (const event of await takeUnannounced(session.db)) announceOutcome(event);
}

/** Shows the paths that the service worker asks this page to open, and replies to it. */
function useOpenedPaths(): void {
  const location = useLocation();
  const navigate = useNavigate();
  const open = useEffectEvent((path: string) => {
    if (createPath(location) !== path) void navigate(path);
  });
  useEffect(() => {
    // Undefined without https.
    const worker: ServiceWorkerContainer | undefined = navigator.serviceWorker;
    const listener = ({ data, ports }: MessageEvent<OpenPath | null>) => {
      if (data?.type !== OPEN_PATH) return;
      open(data.path);
      ports[0]?.postMessage(null);
    };
    worker?.addEventListener('message', listener);
    return () => worker?.removeEventListener('message', listener);
  }, []);
}

/** Lets `TOAST_KEY` move the focus to the button of the newest toast, also while a dialog is open and shows the toasts. */
function useToastKey(): void {
  useEffect(() => {
    const listener = ({ key }: KeyboardEvent) => {
      if (key !== TOAST_KEY) return;
      const actions = document.querySelectorAll<HTMLElement>(`[aria-keyshortcuts="${TOAST_KEY}"]`);
      [...actions].at(-1)?.focus();
    };
    // In the capture phase, because a dialog stops the propagation of its key events.
    document.addEventListener('keydown', listener, { capture: true });
    return () => document.removeEventListener('keydown', listener, { capture: true });
  }, []);
}

/** Applies a theme that the user chooses in another tab. */
function useThemeOfOtherTabs(): void {
  useEffect(() => {
    const listener = ({ key }: StorageEvent) => {
      if (key === THEME_KEY) followStoredTheme();
    };
    window.addEventListener('storage', listener);
    return () => window.removeEventListener('storage', listener);
  }, []);
}

/** Deletes drafts and received photos of all users that were kept long enough. */
async function deleteExpired(): Promise<void> {
  // Reading the photos deletes them if they are too old.
  await Promise.all([deleteExpiredDrafts(), readReceivedPhotos()]);
}

const ANIMATION_DELAY_MS = 30;
const ANIMATION_MS = 220;
const COIN_DETOUR_MS = 180;

function AnimatedPoint({ animation: { id, fromX, fromY } }: { animation: PointAnimation }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const badge = document.querySelector('[data-points-badge]')?.getBoundingClientRect();
    if (element.current === null || badge === undefined) {
      endPointAnimation(id);
      return;
    }
    const transform = (x: number, y: number, scale: number) =>
      `translate(${x}px, ${y}px) translate(-50%, -50%) scale(${scale})`;
    const toCentre = ({ left, top, width, height }: DOMRect, scale: number) =>
      transform(left + width / 2, top + height / 2, scale);
    // During a warm-up, the +1 passes through the next empty coin.
    const coin = document.querySelector('[data-warm-up-coin="empty"]')?.getBoundingClientRect();
    const animation = element.current.animate(
      [
        { transform: transform(fromX, fromY, 0.6), opacity: 0 },
        { transform: transform(fromX, fromY - 16, 1), opacity: 1, offset: 0.2 },
        ...(coin === undefined ? [] : [{ transform: toCentre(coin, 1), opacity: 1, offset: 0.6 }]),
        { transform: toCentre(badge, 0.8), opacity: 0.9 },
      ],
      {
        duration: coin === undefined ? ANIMATION_MS : ANIMATION_MS + COIN_DETOUR_MS,
        delay: ANIMATION_DELAY_MS,
        easing: 'cubic-bezier(0.2, 0.8, 0.2, 1)',
        fill: 'both',
      },
    );
    animation.onfinish = () => endPointAnimation(id);
    return () => animation.cancel();
  }, [id, fromX, fromY]);
  return (
    <div
      ref={element}
      aria-hidden="true"
      className="pointer-events-none fixed top-0 left-0 z-30 flex items-center gap-1.5 rounded-full bg-neutral px-2.5 py-1 text-neutral-content opacity-0 shadow-lifted"
    >
      <Coin size={16} />
      <span className="figures font-bold text-label">+1</span>
    </div>
  );
}

function UpdatePrompt() {
  const [update, setUpdate] = useAtom(updateAtom);
  if (update === null) return null;
  return (
    <div
      role="status"
      className="pointer-events-auto flex animate-enter items-center gap-2 rounded-image border border-base-300 bg-base-100 py-2 pr-1.5 pl-4 shadow-floating"
    >
      <p className="flex-1 font-display font-bold text-label">
        {update.isInstalling ? 'Installing the new version…' : 'A new version is ready'}
      </p>
      <PrimaryButton onClick={update.install} aria-disabled={update.isInstalling}>
        {update.label}
      </PrimaryButton>
      {!update.isInstalling && <CloseButton aria-label="Later" onClick={() => setUpdate(null)} />}
    </div>
  );
}
