import { open } from 'node:fs/promises';
import { EvenkeelError } from '../../core/errors.ts';

/** Far more than a kubeconfig, a token or a certificate has. */
const MAX_FILE_BYTES = 8 * 1_048_576;

/**
 * Reads a file as UTF-8, and not more than the limit, so that a device or a growing file does not take more memory.
 * @throws EvenkeelError FILE_TOO_LARGE; the error of the file system.
 */
export async function readTextFile(path: string, maxBytes = MAX_FILE_BYTES): Promise<string> {
  await using file = await open(path);
  const { size } = await file.stat();
  const chunks: Buffer[] = [];
  let bytes = 0;
  if (size <= maxBytes) {
    for await (const chunk of file.createReadStream({ autoClose: false, end: maxBytes }) as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength;
      chunks.push(chunk);
    }
  }
  if (size > maxBytes || bytes > maxBytes) {
    throw new EvenkeelError('FILE_TOO_LARGE', `${path} is larger than ${maxBytes} bytes. Name another file.`);
  }
  return Buffer.concat(chunks, bytes).toString('utf8');
}
