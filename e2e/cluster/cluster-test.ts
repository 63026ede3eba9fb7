import { type Report, type Row, tableTest } from '#e2e/hard/table-test.ts';
import { Cluster, type ClusterEnv } from './cluster.ts';

type Options = Pick<Row, 'number' | 'name' | 'load'> & {
  /** Additional environment variables of the server processes. */
  env?: ClusterEnv;
};

/**
 * Defines a cluster test: several server processes are killed, upgraded or limited under load. The test has its own cluster,
 * whose invariants are checked at the end.
 */
export function clusterTest(
  { env = () => ({}), ...row }: Options,
  run: (cluster: Cluster, report: Report) => Promise<void>,
): void {
  tableTest({ ...row, database: '' }, () => Cluster.start(env), run);
}
