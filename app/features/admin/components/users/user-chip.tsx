import { Ban, Check, Mail, Shield } from 'lucide-react';
import { Chip } from '#app/ui/chip.tsx';
import type { User } from '#shared/accounts/schema.ts';
import { type UserBadge, userBadge } from '#shared/admin/rules.ts';

const BADGES = {
  admin: { icon: Shield, tone: 'strong', label: 'Admin' },
  suspended: { icon: Ban, tone: 'error', label: 'Suspended' },
  active: { icon: Check, tone: 'quiet', label: 'Active' },
  unverified: { icon: Mail, tone: 'outline', label: 'Unverified' },
} as const satisfies Record<UserBadge, unknown>;

export function UserChip({ user }: { user: User }) {
  const { icon, tone, label } = BADGES[userBadge(user)];
  return (
    <Chip icon={icon} tone={tone}>
      {label}
    </Chip>
  );
}
