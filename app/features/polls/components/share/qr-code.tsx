import { useState } from 'react';
import { createQrCode, toSvg } from '#app/features/polls/lib/qr-code.ts';
import { withoutScheme } from '#app/lib/sharing/share.ts';

type Props = { url: string; className: string };

/** The QR code of a link. */
export function QrCode({ url, className }: Props) {
  const [source] = useState(() => `data:image/svg+xml,${encodeURIComponent(toSvg(createQrCode(url), 0))}`);
  return <img src={source} alt={`QR code of ${withoutScheme(url)}`} className={className} />;
}
