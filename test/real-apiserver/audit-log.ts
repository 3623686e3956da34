import { randomUUID } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** One request as the API server itself recorded it: the fields of audit.k8s.io/v1 Event that tests use. */
export interface AuditEntry {
  readonly auditID: string;
  /** The last stage that the request reached: a watch still open is at ResponseStarted. */
  readonly stage: 'ResponseStarted' | 'ResponseComplete' | 'Panic';
  /** get, list, watch, create, update, patch, delete, deletecollection; the HTTP method where no object is named. */
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string };
  readonly userAgent?: string;
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly apiVersion?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    /** Absent when a create left the name to the server. */
    readonly name?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
  };
  readonly responseStatus?: { readonly code: number };
  /** RFC 3339 with microseconds. */
  readonly requestReceivedTimestamp: string;
  /** When the stage was reached; RFC 3339 with microseconds. */
  readonly stageTimestamp: string;
}

/** A moment in the audit log: what was answered before it is not in `auditEntries(mark)`. */
export type AuditMark = { readonly offsetBytes: number };

type AuditLine = Omit<AuditEntry, 'stage'> & { readonly stage: AuditEntry['stage'] | 'RequestReceived' };

const writeVerbs = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
const pollMs = 10;
/** Generous: a line holds a request's address, headers' digest and outcome, no body. */
const longestLineBytes = 1024 * 1024;

/** True for what changes, or tries to change, stored objects. */
export function isWrite(entry: AuditEntry): boolean {
  return writeVerbs.has(entry.verb);
}

/** Reads the audit log of an API server whose policy logs every request at every stage, in blocking mode. */
export class AuditLog {
  readonly #file: string;
  readonly #sendMarker: (auditID: string) => Promise<void>;

  /** `sendMarker` sends any cheap request with this `Audit-ID` header. */
  constructor(file: string, sendMarker: (auditID: string) => Promise<void>) {
    this.#file = file;
    this.#sendMarker = sendMarker;
  }

  /** Now: whatever arrived before this resolves is before the mark. */
  async mark(): Promise<AuditMark> {
    const { size } = await stat(this.#file);
    const { endBytes } = await readWholeLines(this.#file, Math.max(0, size - longestLineBytes));
    return { offsetBytes: endBytes };
  }

  /** Every request that arrived after the mark and was answered before this call, in the order of arrival. */
  async entries(since: AuditMark = { offsetBytes: 0 }): Promise<AuditEntry[]> {
    const marker = randomUUID();
    await this.#sendMarker(marker);
    return requests(await this.#settled(since.offsetBytes, marker)).filter((entry) => entry.auditID !== marker);
  }

  /**
   * A response may reach its client before its line reaches the log. But the line of its arrival was there before it
   * was handled. So: wait until all that arrived before a marker, which was sent just now, is logged as answered.
   */
  async #settled(fromBytes: number, marker: string): Promise<AuditLine[]> {
    for (;;) {
      const { text } = await readWholeLines(this.#file, fromBytes);
      const lines = text.split('\n').filter(Boolean).map(parseLine);
      const arrived = lines.findIndex((line) => line.auditID === marker);
      if (arrived !== -1 && allAnswered(lines, arrived)) {
        return lines;
      }
      await delay(pollMs);
    }
  }
}

/** Whether every request, watches apart, that arrived up to and including the line has its answer logged. */
function allAnswered(lines: readonly AuditLine[], upTo: number): boolean {
  const answered = new Set(lines.filter((line) => line.stage !== 'RequestReceived').map((line) => line.auditID));
  return lines.slice(0, upTo + 1).every((line) => line.verb === 'watch' || answered.has(line.auditID));
}

function requests(lines: readonly AuditLine[]): AuditEntry[] {
  const latest = new Map<string, AuditEntry | undefined>();
  for (const line of lines) {
    if (line.stage === 'RequestReceived') {
      latest.set(line.auditID, undefined);
    } else if (latest.has(line.auditID)) {
      latest.set(line.auditID, { ...line, stage: line.stage });
    }
  }
  return [...latest.values()].filter((entry) => entry !== undefined);
}

function parseLine(text: string): AuditLine {
  return JSON.parse(text) as AuditLine;
}

/** The file from an offset up to its last line break: the server may be writing the rest. */
async function readWholeLines(file: string, fromBytes: number): Promise<{ text: string; endBytes: number }> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.alloc(Math.max(0, size - fromBytes));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, fromBytes);
    const length = buffer.subarray(0, bytesRead).lastIndexOf('\n') + 1;
    return { text: buffer.toString('utf8', 0, length), endBytes: fromBytes + length };
  } finally {
    await handle.close();
  }
}
