import { afterAll, beforeAll, describe } from 'vitest';
import { describeAddresses } from './state-store/addresses.ts';
import { describeClusters } from './state-store/clusters.ts';
import { describeCovers } from './state-store/covers.ts';
import { describeDeadlines } from './state-store/deadlines.ts';
import { describeEdges } from './state-store/edges.ts';
import { describeFailures } from './state-store/failures.ts';
import { describeFanouts } from './state-store/fanouts.ts';
import { describeLeases } from './state-store/leases.ts';
import { describeMarks } from './state-store/marks.ts';
import { describePolls } from './state-store/polls.ts';
import { describeRecords } from './state-store/records.ts';
import type { StateStoreSubject } from './state-store/subject.ts';

/** The behaviour that every StateStore must have, whatever its implementation. */
export function describeStateStore(name: string, start: () => Promise<StateStoreSubject>): void {
  describe(name, () => {
    let subject: StateStoreSubject | undefined;
    beforeAll(async () => {
      subject = await start();
    });
    afterAll(async () => {
      await subject?.close();
    });
    const getSubject = () => {
      if (subject === undefined) throw new Error('the store was not started');
      return subject;
    };
    describeLeases(getSubject);
    describeAddresses(getSubject);
    describeCovers(getSubject);
    describeMarks(getSubject);
    describeRecords(getSubject);
    describeDeadlines(getSubject);
    describeEdges(getSubject);
    describePolls(getSubject);
    describeFanouts(getSubject);
    describeClusters(getSubject);
    describeFailures(getSubject);
  });
}
