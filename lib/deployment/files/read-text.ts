import { closeSync, openSync, readSync } from 'node:fs';

/** Far more than settings, manifests or a key have. */
const MAX_FILE_BYTES = 8 * 1_048_576;

/**
 * Reads a file as UTF-8, and not more than the limit, so that a device or a growing file does not take more memory.
 * @throws the error of the file system, or one with the code EFBIG.
 */
export function readText(path: string, maxBytes = MAX_FILE_BYTES): string {
  const file = openSync(path, 'r');
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for (;;) {
      const chunk = Buffer.alloc(65_536);
      const read = readSync(file, chunk);
      if (read === 0) return Buffer.concat(chunks, bytes).toString('utf8');
      bytes += read;
      if (bytes > maxBytes) {
        throw Object.assign(new Error(`${path} is larger than ${maxBytes} bytes`), { code: 'EFBIG' });
      }
      chunks.push(chunk.subarray(0, read));
    }
  } finally {
    closeSync(file);
  }
}
