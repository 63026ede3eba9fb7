import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router-dom';
import type { Destination } from './destinations.tsx';

type Props = {
  destination: Pick<Destination, 'to' | 'also'>;
  onClick?: () => void;
  className: string;
  children: ReactNode;
};

/** A link of a navigation, marked as the current one at each address of its screen. */
export function NavTo({ destination: { to, also }, className, children, ...rest }: Props) {
  const { pathname } = useLocation();
  const isHere = pathname === to || pathname === also;
  return (
    <Link to={to} aria-current={isHere ? 'page' : undefined} className={className} {...rest}>
      {children}
    </Link>
  );
}
