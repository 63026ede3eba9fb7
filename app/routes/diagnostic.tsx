import { DiagnosticReport } from '#app/features/diagnostic/components/diagnostic-report.tsx';
import { usePageTitle } from '#app/lib/navigation/page-title.ts';

export default function DiagnosticRoute() {
  usePageTitle('Diagnostic');
  return (
    <div className="mx-auto w-full max-w-[35rem]">
      <h1 className="pt-3 pb-2 text-title max-md:hidden">Diagnostic</h1>
      <DiagnosticReport />
    </div>
  );
}
