import { statfsSync } from 'node:fs';
import { StateFileError } from './sqlite-failure.ts';

/**
 * File systems on which several machines may write one file, or on which locks and shared memory do not work between
 * processes. SQLite's write-ahead log needs both. The keys are the numbers of statfs(2) on Linux.
 */
const REFUSED: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x517b, 'SMB'],
  [0x564c, 'NCP'],
  [0x01021997, '9P'],
  [0x65735546, 'FUSE, such as sshfs or virtiofs'],
  [0x786f4256, 'a shared folder of VirtualBox'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x73757245, 'Coda'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
]);

/** The type of the file system of the directory, as a number of Linux' statfs(2); undefined on other systems. */
export type FileSystemType = (directory: string) => number | undefined;

export function fileSystemType(directory: string): number | undefined {
  // Node may return the 32-bit number of CIFS as a negative number.
  return process.platform === 'linux' ? statfsSync(directory).type >>> 0 : undefined;
}

/** @throws StateFileError that names the file system. */
export function refuseNetworkFileSystem(directory: string, typeOf: FileSystemType): void {
  const name = REFUSED.get(typeOf(directory) ?? 0);
  if (name === undefined) return;
  throw new StateFileError(
    `the state directory ${directory} lies on a file system where SQLite is not safe (${name}): choose a directory on a local disk`,
    { data: { path: directory } },
  );
}
