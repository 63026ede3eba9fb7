import type { ButtonHTMLAttributes } from 'react';

type Props = ButtonHTMLAttributes<HTMLButtonElement> & { tone?: 'primary' | 'ink' };

/** The one action of a place, as a key that can be pressed down. */
export function Key({ tone = 'primary', className = '', type = 'button', ...rest }: Props) {
  return <button type={type} className={`key key-${tone} ${className}`} {...rest} />;
}
