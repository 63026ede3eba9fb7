import { useMemo } from 'react';
import { qrCodeSvg } from '#app/features/polls/lib/qr-code.ts';
import { withoutScheme } from '#app/lib/sharing/share.ts';

type Props = { url: string; className: string };

/** The QR code of a link, without a quiet zone: surround it with four modules of white. */
export function QrCode({ url, className }: Props) {
  const source = useMemo(() => {
    const svg = qrCodeSvg(url, { quietZone: 0 });
    return `data:image/svg+xml,${encodeURIComponent(svg)}`;
  }, [url]);
  return <img src={source} alt={`QR code of ${withoutScheme(url)}`} className={className} />;
}
