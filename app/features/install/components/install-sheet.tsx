import {
  ArrowDown,
  CloudOff,
  Download,
  Feather,
  type LucideIcon,
  Share,
  SquarePlus,
  Zap,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { type InstallMethod, promptInstall } from '#app/lib/install/install-method.ts';
import { PrimaryButton, SecondaryButton } from '#app/ui/button.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { SheetDialog } from '#app/ui/modal.tsx';

type Props = { method: NonNullable<InstallMethod>; onClose(): void };

/** Explains why and how to install the app on the home screen. */
export default function InstallSheet({ method, onClose }: Props) {
  return (
    <SheetDialog
      title={
        <span className="flex items-center gap-3">
          <img src="/icons/icon-192.png" alt="" className="size-16 shrink-0" />
          Keep it on your home screen
        </span>
      }
      onClose={onClose}
      hasCloseButton={method === 'steps'}
    >
      {method === 'steps' ? <InstallSteps /> : <InstallReasons onClose={onClose} />}
    </SheetDialog>
  );
}

function InstallReasons({ onClose }: { onClose(): void }) {
  return (
    <>
      <ul className="grid gap-3 py-2">
        <Reason icon={Zap} title="Opens instantly" text="Like an app, without a store" />
        <Reason icon={CloudOff} title="Works without a signal" text="Votes and polls are sent later" />
        <Reason icon={Feather} title="Under 1 MB" text="Smaller than one photo" />
      </ul>
      <PrimaryButton
        data-first-focus=""
        onClick={() => {
          onClose();
          void promptInstall();
        }}
      >
        <Icon icon={Download} /> Install
      </PrimaryButton>
      <SecondaryButton ghost className="min-h-12" onClick={onClose}>
        Not now
      </SecondaryButton>
    </>
  );
}

function Reason({ icon, title, text }: { icon: LucideIcon; title: string; text: string }) {
  return (
    <li className="flex items-center gap-3">
      <span className="grid size-11 shrink-0 place-items-center rounded-control bg-base-300">
        <Icon icon={icon} />
      </span>
      <span>
        <span className="block font-bold text-body">{title}</span>
        <span className="text-muted text-small">{text}</span>
      </span>
    </li>
  );
}

function InstallSteps() {
  return (
    <>
      <ol className="grid gap-3 py-2">
        <Step number={1} image={<Icon icon={Share} />}>
          Tap <b className="font-bold">Share</b> in Safari’s toolbar
        </Step>
        <Step number={2} image={<Icon icon={SquarePlus} />}>
          Choose <b className="font-bold">Add to Home Screen</b>
        </Step>
        <Step number={3} image={<img src="/icons/icon-192.png" alt="" className="size-6" />}>
          Tap <b className="font-bold">Add</b>, then open it there
        </Step>
      </ol>
      <p className="text-muted text-small">Push messages work only in the installed app.</p>
      {/* Points to Safari's bar, which is at the bottom on an iPhone and at the top on an iPad. */}
      {/iPhone|iPod/.test(navigator.userAgent) && (
        <span className="mx-auto grid size-11 animate-nod place-items-center rounded-full bg-neutral text-neutral-content">
          <Icon icon={ArrowDown} />
        </span>
      )}
    </>
  );
}

function Step({ number, image, children }: { number: number; image: ReactNode; children: ReactNode }) {
  return (
    <li className="flex items-center gap-3 text-field">
      <span className="grid size-8 shrink-0 place-items-center rounded-letter bg-neutral font-bold font-display text-neutral-content">
        {number}
      </span>
      <span className="min-w-0 flex-1">{children}</span>
      <span className="grid size-11 shrink-0 place-items-center rounded-control bg-base-300">{image}</span>
    </li>
  );
}
