import { type Report, rowTest } from '#e2e/hard/row-test.ts';
import { Cluster, type ClusterEnv } from './cluster.ts';

/** A test with a cluster of its own, which ends with the invariants. `env` is for the processes of the server. */
export function clusterTest(
  number: number,
  name: string,
  load: string,
  run: (cluster: Cluster, report: Report) => Promise<void>,
  env: ClusterEnv = () => ({}),
): void {
  rowTest({ number, name, database: '', load }, () => Cluster.start(env), run);
}
