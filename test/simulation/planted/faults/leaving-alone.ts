import type { PlantedFault } from '../planted-fault.ts';

/**
 * Faults of the scope: an installation changes objects that it must ignore, or misses objects that it must reconcile.
 */
export const LEAVING_ALONE: readonly PlantedFault[] = [
  {
    name: 'a pass does not ask for the labels of its installation',
    expected: ['I5'],
    inside: 'isManaged',
    find: 'return inNamespace && (selector === undefined || selector.matches(metadata.labels));',
    replace: 'void selector; return inNamespace;',
  },
  {
    name: 'a pause is not kept',
    expected: ['I5'],
    inside: 'handle',
    find: "if (object.metadata.annotations?.[PAUSED_ANNOTATION] === 'true')",
    replace: "if (object.metadata.annotations?.[PAUSED_ANNOTATION] === 'never')",
  },
  {
    name: 'a target that is left out is finalized',
    scenario: 'a target is left out, and then deleted',
    expected: ['I5', 'I6'],
    inside: 'handle',
    find: 'if (!isManaged(options, object)) return',
    replace: 'if (object.metadata.deletionTimestamp === undefined && !isManaged(options, object)) return',
  },
  {
    name: 'a target that is left out is forgotten',
    expected: ['I2'],
    inside: 'handle',
    find: "if (!isManaged(options, object)) return { type: 'ran', mode: 'unmanaged', outcome: settled(), object };",
    replace: "if (!isManaged(options, object)) return { type: 'gone' };",
  },
  {
    name: 'the relay does not ask what its installation is limited to',
    expected: ['I5'],
    inside: 'seeObject',
    find: "target: kind.primary ? (view.scope.includes(kind, metadata) ? 'selected' : 'unselected') : 'none',",
    replace: "target: kind.primary ? 'selected' : 'none',",
  },
  {
    name: 'a target that leaves the selector gets no event',
    unseen:
      'every pass asks for the labels itself: the message only lets the table say sooner that the target is left out',
    expected: ['I2'],
    inside: 'ownWakeups',
    find: "if (seen.target !== 'none') {",
    replace: "if (seen.target === 'selected') {",
    heldBy: {
      file: 'test/engine/relay/relay-scope.test.ts',
      test: 'R-6.7 a kind that others read sends only objects that are selected, or that were a target before',
    },
  },
  {
    name: 'a target that settles loses its resync deadline',
    expected: ['I11'],
    inside: 'meaningOf',
    find: 'if (checkAtMs === undefined) return { dueAtMs: resyncAtMs, ...told };',
    replace: 'if (checkAtMs === undefined) return { dueAtMs: terminal && resyncAtMs, ...told };',
  },
  {
    name: 'a deadline that the sweep pushed out keeps the note of its wake',
    unseen: 'the sweep finds the deadline once more when it is overdue, which a resync deadline may be',
    expected: ['I11'],
    inside: 'MemoryTargetStore.pushDue',
    find: '{ ...state, dueAtMs: toDueAtMs, dueSetAtMs: nowMs, wakeSent: false }',
    replace: '{ ...state, dueAtMs: toDueAtMs, dueSetAtMs: nowMs }',
    heldBy: {
      file: 'test/engine/pass/pass-runner.test.ts',
      test: 'a kept resync timer that the sweep pushed out counts as one without a wake',
    },
  },
  {
    name: 'a Pod is replaced when the version of the OMP Secret changed',
    needs: { workload: 't4' },
    expected: ['I5', 'CHECK'],
    inside: 'mountedValue',
    find: "return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('base64');",
    replace: 'return encoded === undefined ? undefined : encoded + secret.metadata.resourceVersion;',
    heldBy: {
      file: 'test/controllers/t4/session/pod-hash.test.ts',
      test: 'R-4.13 session keeps its Pod and writes nothing when %s',
    },
  },
  {
    name: 'a workspace replaces a claim that held its data',
    needs: { workload: 't4' },
    expected: ['I2', 'CHECK'],
    inside: 'lostClaim',
    find: "if (claim.type === 'absent') return bound;",
    replace: "if (claim.type === 'absent') return undefined;",
  },
  {
    name: 'what admission changed is put back',
    needs: { workload: 't4' },
    expected: ['I5', 'CHECK'],
    inside: 'MadeObject.target',
    find: 'return exceptAdmitted(this.#record, observed, wanted);',
    replace: 'return wanted;',
    unseen:
      'What admission undoes, the engine sends once. Where admission lets it through, the image that was asked for is as right as the one that admission made: after a lost answer nobody knows which of them it was',
    heldBy: {
      file: 'test/controllers/t4/admitted-changes.test.ts',
      test: 'R-4.13 R-1.3 session leaves its child as created and writes nothing when admission %s',
    },
  },
  {
    name: 'a session that may not run keeps its Pod',
    needs: { workload: 't4' },
    expected: ['I10'],
    inside: 'SessionChildren.remove',
    find: "if (this.pod.type === 'owned' && this.mayDelete) this.pod = await this.deleted(Pods, this.pod.object);",
    replace: '',
  },
];
