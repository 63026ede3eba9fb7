import type { LucideIcon } from 'lucide-react';
import type { ButtonHTMLAttributes } from 'react';
import { Icon } from './icon.tsx';

type Props = ButtonHTMLAttributes<HTMLButtonElement> & { icon: LucideIcon; label: string };

export function IconButton({ icon, label, className = '', type = 'button', ...rest }: Props) {
  return (
    <button
      type={type}
      aria-label={label}
      title={label}
      className={`btn btn-ghost btn-square rounded-full ${className}`}
      {...rest}
    >
      <Icon of={icon} size={24} />
    </button>
  );
}
