import '#app/styles/admin.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { useJobWatch } from '#app/features/admin/hooks/use-jobs.ts';
import { queryClient } from '#app/features/admin/lib/query-client.ts';
import { SampleForm } from './sample-form.tsx';

/** The generator by itself, outside of the administrators' screens. */
export default function SampleTools() {
  return (
    <QueryClientProvider client={queryClient}>
      <Tools />
    </QueryClientProvider>
  );
}

function Tools() {
  useJobWatch();
  return (
    <div className="admin">
      <h3 className="pb-3 text-key">Sample polls</h3>
      <SampleForm />
    </div>
  );
}
