import { KeyRound, Pencil, Plus, Smartphone, Trash2 } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { useConfirmation } from '#app/features/accounts/hooks/use-confirmation.tsx';
import * as passkeys from '#app/features/accounts/lib/passkeys.ts';
import {
  areCodesUnseen,
  forgetRecoveryCodes,
  rememberKnownCodesDuring,
  showRecoveryCodes,
  useRecoveryCodes,
} from '#app/features/accounts/lib/recovery-codes.ts';
import { mayHaveTakenEffect } from '#app/lib/api/api-error.ts';
import { arePasskeysSupported } from '#app/lib/browser/passkey-support.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { useResponseOrder } from '#app/lib/response-order.ts';
import { dateLabel } from '#app/lib/time.ts';
import { showToast } from '#app/lib/toasts.ts';
import { IconButton, SecondaryButton } from '#app/ui/button.tsx';
import { FocusFallback } from '#app/ui/focus-fallback.tsx';
import { FormError } from '#app/ui/forms/field.tsx';
import { Switch } from '#app/ui/forms/switch.tsx';
import { Icon, SpinnerIcon } from '#app/ui/icon.tsx';
import { OfflineNotice } from '#app/ui/online.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { RECOVERY_CODE_COUNT } from '#shared/accounts/constants.ts';
import type { PasskeyList } from '#shared/accounts/passkeys/schema.ts';
import type { User } from '#shared/accounts/schema.ts';
import { RemovePasskeyDialog, RenamePasskeyDialog } from './passkey-dialogs.tsx';
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx';

type DialogState = { kind: 'rename' | 'remove'; passkey: passkeys.Passkey } | null;

type PasskeysPanelProps = {
  user: User;
  /** Called when a passkey was removed, or may have been, which ends the other sessions that were opened with it. */
  onSessionsEnded(): void;
};

/** The user's passkeys, the second step and its recovery codes. Needs the server; nothing is stored on the device. */
export function PasskeysPanel({ user, onSessionsEnded }: PasskeysPanelProps) {
  const isReachable = useReachable();
  const [list, setList] = useState<PasskeyList | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [openDialog, setOpenDialog] = useState<DialogState>(null);
  const recoveryCodes = useRecoveryCodes(user.id);
  const hasPasskey = (list?.passkeys.length ?? 0) > 0;
  const { runConfirmed, confirmationDialog } = useConfirmation({ userId: user.id, hasPasskey });

  const order = useResponseOrder();

  const refresh = useCallback(async () => {
    const request = order.send();
    try {
      const received = await passkeys.readPasskeys(user.id);
      if (request.isOutdated()) return;
      request.accept();
      setList(received);
      setError(null);
    } catch (cause) {
      if (!request.isOutdated()) setError(passkeys.failureMessage(cause));
    }
  }, [user.id, order]);
  useEffect(() => {
    if (isReachable) void refresh();
  }, [isReachable, refresh]);

  /** Runs `work` with a confirmed session. Shows the list and recovery codes that it returns, and `successTitle` as a toast. */
  async function change(
    work: () => Promise<(PasskeyList & { recoveryCodes?: readonly string[] | undefined }) | null>,
    successTitle: string | null = null,
  ) {
    if (isBusy) return;
    setOpenDialog(null);
    setError(null);
    setBusy(true);
    try {
      const changed = await runConfirmed(work);
      if (changed === null) return;
      order.discardRunning();
      setList(changed);
      if (changed.recoveryCodes !== undefined) showRecoveryCodes(user.id, changed.recoveryCodes);
      if (successTitle !== null) showToast('success', successTitle, null, { topic: 'account' });
    } catch (cause) {
      await refresh();
      setError(passkeys.failureMessage(cause));
    } finally {
      setBusy(false);
    }
  }

  return (
    <Panel title="Passkeys">
      <p className="-mt-3 text-muted text-small">
        Log in with your fingerprint, face or screen lock. Nothing to remember, nothing to steal.
      </p>
      <FocusFallback className="grid gap-4">
        {list === null && error === null && isReachable && <SpinnerIcon />}
        <ul className="grid gap-3 empty:hidden">
          {list?.passkeys.map((passkey) => (
            <PasskeyRow
              key={passkey.id}
              passkey={passkey}
              isBusy={isBusy || !isReachable}
              onOpenDialog={(kind) => setOpenDialog({ kind, passkey })}
            />
          ))}
        </ul>
        {isReachable && list !== null && !arePasskeysSupported() && (
          <p className="text-body text-muted">This browser cannot use passkeys.</p>
        )}
        {isReachable && list !== null && arePasskeysSupported() && (
          <SecondaryButton
            className="min-h-12"
            aria-disabled={isBusy}
            onClick={() => void change(() => passkeys.addPasskey(user.id), 'Passkey added')}
          >
            <Icon icon={Plus} /> Add a passkey
          </SecondaryButton>
        )}
        {isReachable && list !== null && hasPasskey && (
          <SecondStepSettings
            list={list}
            hasUnseenCodes={areCodesUnseen(recoveryCodes, list)}
            isBusy={isBusy}
            onSwitch={(isOn) =>
              void change(() =>
                isOn
                  ? rememberKnownCodesDuring(user.id, list, () => passkeys.switchSecondStepOn(user.id))
                  : passkeys.switchSecondStepOff(user.id),
              )
            }
            onRenew={() =>
              void change(() =>
                rememberKnownCodesDuring(user.id, list, () => passkeys.renewRecoveryCodes(user.id)),
              )
            }
          />
        )}
        {error !== null && <FormError>{error}</FormError>}
        <OfflineNotice>You are offline. Connect to manage your passkeys.</OfflineNotice>
      </FocusFallback>
      {openDialog?.kind === 'rename' && (
        <RenamePasskeyDialog
          passkey={openDialog.passkey}
          onRename={(name) => void change(() => passkeys.renamePasskey(user.id, openDialog.passkey.id, name))}
          onClose={() => setOpenDialog(null)}
        />
      )}
      {openDialog?.kind === 'remove' && list !== null && (
        <RemovePasskeyDialog
          passkey={openDialog.passkey}
          userId={user.id}
          list={list}
          onRemove={() =>
            void change(() => {
              const removal = passkeys.removePasskey(user.id, openDialog.passkey.id);
              void removal.then(onSessionsEnded, (cause) => mayHaveTakenEffect(cause) && onSessionsEnded());
              return removal;
            }, 'Passkey removed')
          }
          onClose={() => setOpenDialog(null)}
        />
      )}
      {confirmationDialog}
      {recoveryCodes?.phase === 'new' && (
        <RecoveryCodesDialog
          codes={recoveryCodes.codes}
          username={user.username}
          onClose={forgetRecoveryCodes}
        />
      )}
    </Panel>
  );
}

type RowProps = { passkey: passkeys.Passkey; isBusy: boolean; onOpenDialog(kind: 'rename' | 'remove'): void };

function PasskeyRow({ passkey, isBusy, onOpenDialog }: RowProps) {
  const { name, createdAt, lastUsedAt, isBackedUp } = passkey;
  const usageText = lastUsedAt === null ? 'not used yet' : `used ${lastUseLabel(lastUsedAt)}`;
  return (
    <li className="flex min-h-12 items-center gap-3">
      <span className="grid size-11 shrink-0 place-items-center rounded-control bg-base-300">
        {/* A passkey without a backup is usually on a security key. */}
        <Icon icon={isBackedUp ? Smartphone : KeyRound} />
      </span>
      <span className="min-w-0 flex-1">
        <span className="wrap-anywhere block font-semibold text-body">{name}</span>
        <span className="block text-muted text-small">
          Added {dateLabel(createdAt)} · {usageText}
        </span>
      </span>
      <span className="flex shrink-0 max-[22rem]:flex-col">
        <IconButton
          icon={Pencil}
          label={`Rename ${name}`}
          aria-disabled={isBusy}
          onClick={() => isBusy || onOpenDialog('rename')}
        />
        <IconButton
          icon={Trash2}
          label={`Remove ${name}`}
          aria-disabled={isBusy}
          onClick={() => isBusy || onOpenDialog('remove')}
        />
      </span>
    </li>
  );
}

function lastUseLabel(date: string): string {
  return new Date(date).toDateString() === new Date().toDateString() ? 'today' : dateLabel(date);
}

type SecondStepSettingsProps = {
  list: PasskeyList;
  /** Whether the user has not seen the latest recovery codes. */
  hasUnseenCodes: boolean;
  isBusy: boolean;
  onSwitch(isOn: boolean): void;
  onRenew(): void;
};

function SecondStepSettings({ list, hasUnseenCodes, isBusy, onSwitch, onRenew }: SecondStepSettingsProps) {
  const { secondStep, secondStepRequired, recoveryCodesLeft, recoveryCodesMadeAt } = list;
  return (
    <div className="grid gap-3">
      <Switch
        label="Second step"
        description={
          secondStepRequired
            ? 'Always on for administrators: a passkey after the password'
            : 'Ask for a passkey after the password at each login'
        }
        isOn={secondStep}
        isDisabled={isBusy || secondStepRequired}
        onChange={onSwitch}
      />
      {secondStep && hasUnseenCodes && (
        <FormError>
          New recovery codes were made, but could not be shown. The old ones no longer work: make new ones.
        </FormError>
      )}
      {secondStep && (
        <div className="flex min-h-12 flex-wrap items-center gap-3">
          <span className="min-w-0 flex-[1_1_8rem]">
            <span className="block font-semibold text-body">Recovery codes</span>
            <span className="block text-muted text-small">
              {recoveryCodesLeft} of {RECOVERY_CODE_COUNT} left
              {recoveryCodesMadeAt !== null && `, from ${dateLabel(recoveryCodesMadeAt)}`}
            </span>
          </span>
          <SecondaryButton className="whitespace-nowrap" aria-disabled={isBusy} onClick={onRenew}>
            New codes
          </SecondaryButton>
        </div>
      )}
    </div>
  );
}
