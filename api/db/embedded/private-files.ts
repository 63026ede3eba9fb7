import type { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

const GROUP_AND_OTHERS_MASK = 0o077;

type Attributes = { mode?: number };
type SetAttributes = (node: unknown, attributes: Attributes) => void;
/** Part of Emscripten's file systems, which have no types. */
type Emscripten = { FS: { filesystems: { NODEFS: { node_ops: { setattr: SetAttributes } } } } };

/**
 * PGlite's files in a folder, accessible only to the user of the process. PGlite itself makes them readable and writable for
 * everyone, regardless of the umask.
 */
export class PrivateFiles extends NodeFS {
  override async init(pglite: PGlite, options: Parameters<NodeFS['init']>[1]) {
    const preRun = [
      (module: unknown) => removeRightsOfOthers(module as Emscripten),
      ...(options.preRun ?? []),
    ];
    return super.init(pglite, { ...options, preRun });
  }
}

function removeRightsOfOthers({ FS }: Emscripten): void {
  const operations = FS.filesystems.NODEFS.node_ops;
  const { setattr } = operations;
  operations.setattr = (node, attributes) => {
    const { mode } = attributes;
    setattr(node, mode === undefined ? attributes : { ...attributes, mode: mode & ~GROUP_AND_OTHERS_MASK });
  };
}
