import '#app/styles/admin.css';
import { useJobWatch } from '#app/features/admin/hooks/use-job-watch.ts';
import { SampleForm } from './sample-form.tsx';

/** The generator by itself, outside of the administrators' screens. */
export default function SampleTools() {
  useJobWatch();
  return (
    <div className="admin">
      <h3 className="pb-3 text-key">Sample polls</h3>
      <SampleForm />
    </div>
  );
}
