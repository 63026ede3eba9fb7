import { LoaderCircle } from 'lucide-react';
import { Icon } from './icon.tsx';

/** A turning ring for a small place; whoever uses it says in words what goes on. */
export function Turning({ size = 20 }: { size?: 16 | 20 | 24 }) {
  return <Icon of={LoaderCircle} size={size} className="animate-spin" />;
}

export function Spinner({ label }: { label: string }) {
  return (
    <div role="status" className="grid min-h-[60dvh] place-items-center text-muted">
      <Turning size={24} />
      <span className="sr-only">{label}</span>
    </div>
  );
}
