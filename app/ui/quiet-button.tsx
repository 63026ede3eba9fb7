import type { ButtonHTMLAttributes } from 'react';

type Props = ButtonHTMLAttributes<HTMLButtonElement> & { ghost?: boolean };

export function QuietButton({ ghost = false, className = '', type = 'button', ...rest }: Props) {
  const look = ghost ? 'btn-ghost' : 'border-0 bg-base-300';
  return (
    <button type={type} className={`btn h-auto min-h-11 gap-2 text-body ${look} ${className}`} {...rest} />
  );
}
