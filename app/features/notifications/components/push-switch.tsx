import { useCallback, useEffect, useState } from 'react';
import {
  isPushOn,
  type PushSupport,
  pushSupport,
  switchPushOff,
  switchPushOn,
} from '#app/features/notifications/lib/push.ts';
import { mayHaveTakenEffect } from '#app/lib/api/api-error.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { fromEvents, useObservable } from '#app/lib/engine/use-observable.ts';
import { useRetry } from '#app/lib/engine/use-retry.ts';
import { logWarning } from '#app/lib/log.ts';
import { useResponseOrder } from '#app/lib/response-order.ts';
import { dismissTopic, showToast } from '#app/lib/toasts.ts';
import { PrimaryButton, SecondaryButton } from '#app/ui/button.tsx';
import { Switch } from '#app/ui/forms/switch.tsx';
import { SheetDialog } from '#app/ui/modal.tsx';

/** `unknown` until the server has responded. */
type State = 'unknown' | 'off' | 'on' | 'switching_off' | 'switching_on';

/** When the page is shown again, or has the focus again, the user may have changed the permission in the browser's settings. */
const pushSupportState = fromEvents(window, ['visibilitychange', 'focus'], pushSupport);

/** Switches push messages to this device on or off. Asks for permission when switched on, never before. */
export function PushSwitch({ userId }: { userId: number }) {
  const isReachable = useReachable();
  const [state, setState] = useState<State>('unknown');
  const [hasReadFailed, setReadFailed] = useState(false);
  const order = useResponseOrder();
  const support = useObservable(pushSupportState);
  const refresh = useCallback(async () => {
    setReadFailed(false);
    const request = order.send();
    try {
      const isOn = await isPushOn(userId);
      if (request.isOutdated()) return;
      request.accept();
      setState((current) => {
        if (current.startsWith('switching')) return current;
        return isOn ? 'on' : 'off';
      });
    } catch (error) {
      if (request.isOutdated()) return;
      setReadFailed(true);
      logWarning('Whether push messages are on could not be read:', error);
    }
  }, [userId, order]);
  useEffect(() => {
    if (isReachable && support === 'supported') void refresh();
  }, [isReachable, support, refresh]);
  useRetry(hasReadFailed && isReachable, () => void refresh());

  async function change(isOn: boolean) {
    dismissTopic('account');
    setState(isOn ? 'switching_on' : 'switching_off');
    try {
      if (isOn) {
        setState((await switchPushOn(userId)) ? 'on' : 'off');
      } else {
        await switchPushOff(userId);
        setState('off');
      }
    } catch (error) {
      // The server may have stored the change although its response was lost.
      const isNowOn = await isPushOn(userId).catch(() => null);
      setState((isNowOn ?? !isOn) ? 'on' : 'off');
      setReadFailed(isNowOn === null);
      if (isNowOn !== isOn) {
        const isUnknown = isNowOn === null && mayHaveTakenEffect(error);
        const title = `Push ${isUnknown ? 'may not have been' : 'was not'} turned ${isOn ? 'on' : 'off'}`;
        showToast('error', title, failureText(error), {
          topic: 'account',
        });
      }
    }
    order.discardRunning();
  }

  if (support === 'home_screen') return <HomeScreenNote />;
  return (
    <Switch
      label="Push"
      description={descriptionOf(support, isReachable)}
      isOn={support === 'supported' && (state === 'on' || state === 'switching_on')}
      isDisabled={support !== 'supported' || !isReachable || (state !== 'on' && state !== 'off')}
      onChange={(isOn) => void change(isOn)}
    />
  );
}

function descriptionOf(support: Exclude<PushSupport, 'home_screen'>, isReachable: boolean): string {
  if (support === 'unsupported') return 'This browser cannot receive push messages';
  if (support === 'blocked') return 'Blocked in the browser’s settings';
  return isReachable ? 'On this device, at most five a day' : 'Connect to change this';
}

/** The message for a failure. The texts of the browser's own errors are not meant for users. */
function failureText(error: unknown): string {
  if (!(error instanceof DOMException)) return errorMessage(error);
  return 'The browser could not reach its push service. Please try again later.';
}

/** On iOS, only apps on the home screen receive push messages. */
function HomeScreenNote() {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="flex min-h-12 items-center gap-3">
      <span className="min-w-0 flex-1">
        <span className="block font-semibold text-body">Push</span>
        <span className="block text-muted text-small">Needs the app on the home screen</span>
      </span>
      <SecondaryButton onClick={() => setOpen(true)}>How?</SecondaryButton>
      {isOpen && (
        <SheetDialog title="Push on iPhone and iPad" onClose={() => setOpen(false)}>
          <ol className="grid list-decimal gap-2 pb-2 pl-5 text-body text-muted">
            <li>Tap Share, at the top or bottom of the screen.</li>
            <li>Choose Add to Home Screen.</li>
            <li>Open the app from there, log in, and turn on Push in Settings.</li>
          </ol>
          <PrimaryButton onClick={() => setOpen(false)}>Got it</PrimaryButton>
        </SheetDialog>
      )}
    </div>
  );
}
