import { type Report, tableTest } from '#e2e/hard/table-test.ts';
import { Cluster, type ClusterEnv } from './cluster.ts';

/** A test with its own cluster, whose invariants are checked at the end. `env` is for the server processes. */
export function clusterTest(
  number: number,
  name: string,
  load: string,
  run: (cluster: Cluster, report: Report) => Promise<void>,
  env: ClusterEnv = () => ({}),
): void {
  tableTest({ number, name, database: '', load }, () => Cluster.start(env), run);
}
