import { Check, Copy, Share2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { referralLink } from '#app/features/referrals/lib/referral-link.ts';
import { copyText, shareLink, withoutScheme } from '#app/lib/sharing/share.ts';
import { useCopied } from '#app/lib/sharing/use-copied.ts';
import { IconButton, SecondaryButton } from '#app/ui/button.tsx';
import { Icon } from '#app/ui/icon.tsx';

type Props = {
  /** The referral code of the user. */
  code: string;
  renderQrCode(url: string): ReactNode;
};

/** The referral link and its QR code, for an installation with hardly any users yet. */
export function InviteCard({ code, renderQrCode }: Props) {
  const link = referralLink(code);
  const [isCopied, onCopied] = useCopied();
  return (
    <section aria-label="Invite people" className="flex flex-wrap items-center gap-4 card p-3">
      <div className="rounded-image bg-white p-3.5">{renderQrCode(link)}</div>
      <div className="grid min-w-36 flex-1 gap-2">
        <h2 className="text-question">Invite people</h2>
        <p className="truncate text-muted text-small">{withoutScheme(link)}</p>
        <div className="flex gap-2">
          <SecondaryButton
            className="flex-1"
            onClick={() => void shareLink({ title: 'This or That?', url: link })}
          >
            <Icon icon={Share2} /> Share
          </SecondaryButton>
          <IconButton
            icon={isCopied ? Check : Copy}
            label={isCopied ? 'Copied' : 'Copy'}
            onClick={() => void copyText(link, onCopied)}
          />
        </div>
      </div>
    </section>
  );
}
