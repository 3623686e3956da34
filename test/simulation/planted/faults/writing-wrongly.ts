import type { PlantedFault } from '../planted-fault.ts';

/** Faults with two passes at once, wrong writes, wrong statuses and wrong deletions (I1, I3 to I7). */
export const WRITING_WRONGLY: readonly PlantedFault[] = [
  {
    name: 'no fencing on commit',
    expected: ['I1'],
    inside: 'MemoryTargetStore.#held',
    find: 'return state?.lease?.owner === hold.owner && state.epoch === hold.epoch ? state : undefined;',
    replace: 'return state;',
  },
  {
    name: 'the lease is compared with the wrong clock: the time of the event',
    expected: ['I1'],
    inside: 'acquireLease',
    find: 'leaseUntilMs: nowMs + Math.floor(leftMs),',
    replace: 'leaseUntilMs: event.at + timings.leaseMs,',
  },
  {
    name: 'a lease is taken over before it has ended',
    expected: ['I1'],
    inside: 'leaseRuns',
    folder: 'lib/adapters/memory',
    find: 'lease.untilMs < nowMs) return false;',
    replace: 'lease.untilMs < nowMs + 10_000) return false;',
  },
  {
    name: 'mutations do not check what is left of the lease',
    needs: { faults: ['pause'] },
    expected: ['I1'],
    inside: 'GuardedWriter.assertLease',
    find: 'if (leftMs < mutationMarginMs) {',
    replace: 'if (leftMs < -86_400_000) {',
  },
  {
    name: 'a write is not checked again after it waited for the identity of the cluster',
    needs: { faults: ['pause'] },
    expected: ['I1'],
    inside: 'GuardedWriter.#writeOptions',
    find: 'beforeSend: this.#beforeSend, ',
    replace: '',
    heldBy: {
      file: 'test/engine/context/guarded-writer.test.ts',
      test: 'is not sent when its lease ends while it waits to be sent',
    },
  },
  {
    name: 'a new item starts at epoch 1',
    expected: ['I1'],
    inside: 'MemoryTargetStore.acquire',
    find: 'const firstEpoch = forgotten ?? request.nowMs;',
    replace: 'const firstEpoch = 0;',
  },
  {
    name: 'the epochs of a target that comes back start from the clock again',
    expected: ['I1'],
    inside: 'MemoryTargetStore.acquire',
    find: 'const firstEpoch = forgotten ?? request.nowMs;',
    replace: 'const firstEpoch = request.nowMs;',
    heldBy: {
      file: 'test/contract/state-store/records.ts',
      test: 'a target that comes back begins anew, and never repeats an epoch',
    },
  },
  {
    name: 'a late acquire creates a forgotten item again',
    unseen: 'the pass that makes the item again finds its object gone, and forgets it again',
    expected: ['LEAK'],
    inside: 'MemoryTargetStore.acquire',
    find: 'if (forgotten !== undefined && forgotten !== request.forgottenEpoch)',
    replace: 'if (forgotten !== undefined && request.nowMs < 0)',
    heldBy: {
      file: 'test/engine/pass/acquire.test.ts',
      test: 'a worker creates no item again when it was frozen before its acquire and its message was handled by another one',
    },
  },
  {
    name: 'a forgotten item is created again for longer than its lease could last',
    scenario: 'a worker is frozen until another one has forgotten the target, and dies when it goes on',
    expected: ['LEAK'],
    inside: 'acquireLease',
    find: 'if (leftMs <= 0)',
    replace: 'if (leftMs <= -86_400_000)',
    heldBy: {
      file: 'test/engine/pass/acquire.test.ts',
      test: 'a worker creates no item again when it was frozen after it read that the target was forgotten',
    },
  },
  {
    name: 'a status is published without the version that was read',
    expected: ['I3'],
    inside: 'GuardedWriter.publishStatus',
    find: 'const patch = { metadata: { uid, resourceVersion }, status:',
    replace: 'const patch = { metadata: { uid, ...(resourceVersion === "" && { resourceVersion }) }, status:',
  },
  {
    name: 'an apply without resourceVersion',
    expected: ['I3'],
    inside: 'withPreconditions',
    find: 'metadata: { ...desired.metadata, uid, resourceVersion } };',
    replace: 'metadata: { ...desired.metadata, uid, ...(resourceVersion === "" && { resourceVersion }) } };',
  },
  {
    name: 'finalizers are patched whatever the version',
    expected: ['I3', 'I6'],
    inside: 'identityGuards',
    find: "{ op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },",
    replace: '',
  },
  {
    name: 'the own status event is not covered',
    expected: ['I5'],
    inside: 'GuardedWriter.publishStatus',
    find: 'this.#keep(controller.type, target, published);',
    replace: 'this.target = published;',
  },
  {
    name: 'the version of a target is not covered when it comes as that of a dependency',
    unseen:
      'a pass that reads no list must follow one that did, before the list’s event comes: one seed in a thousand drew it',
    expected: ['I5'],
    inside: 'isCovered',
    find: 'return isTarget(cover.object, state.target) && isCovered(',
    replace: 'return findKey([], cover.object) !== undefined && isCovered(',
    heldBy: {
      file: 'test/core/cover.test.ts',
      test: 'itself as a dependency is covered by the newer of the versions that it was observed and listed at',
    },
  },
  {
    name: 'the events of own writes to children are not covered',
    expected: ['I5'],
    inside: 'LiveReader.keep',
    find: 'this.tracker.recordWrite(kind, name, basedOn, written);',
    replace: 'if (basedOn === -1) this.tracker.recordWrite(kind, name, basedOn, written);',
  },
  {
    name: 'an apply that changes nothing is sent all the same',
    expected: ['I5'],
    inside: 'GuardedWriter.apply',
    find: 'if (applyWouldChangeNothing(observed, desired, this.#fieldManager)) return observed;',
    replace: '',
  },
  {
    name: 'the finalizer is removed before absence is confirmed',
    expected: ['I6'],
    inside: 'handleDeleting',
    find: "if (!result.done) return await publish(options, 'finalizing', result);",
    replace: '',
  },
  {
    name: 'a finalizer goes without finalize',
    expected: ['I6'],
    inside: 'handleDeleting',
    find: 'const result = await author.finalize(object, context);',
    replace:
      'const result = context.random() < 0.5 ? { done: true as const } : await author.finalize(object, context);',
  },
  {
    name: 'a delete without the UID as precondition',
    expected: ['I7'],
    inside: 'GuardedWriter.delete',
    find: 'preconditions: { uid, resourceVersion },',
    replace: 'preconditions: { ...(uid === "" && { uid }), resourceVersion } as { uid: string },',
  },
  {
    name: 'a failed read counts as absence',
    needs: { faults: ['forbid'] },
    expected: ['I7', 'I4', 'I6', 'I12', 'I2'],
    inside: 'LiveReader.#getLive',
    find: `      return await api.get(type, name, { signal });
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;`,
    replace: `      return await api.get(type, name, { signal });
    } catch (error) {
      if (isApiError(error, 'NotFound', 'Timeout', 'ServerError', 'Unreachable', 'Forbidden')) return undefined;`,
  },
  {
    name: 'an incomplete list counts as a complete one',
    expected: ['I12', 'I7', 'I2'],
    inside: 'LiveReader.#readList',
    find: 'continueToken = page.continueToken;',
    replace: 'continueToken = undefined;',
  },
  {
    name: 'state is kept by name, across a recreation',
    expected: ['I1', 'I2', 'I12', 'LEAK'],
    inside: 'targetKey',
    folder: 'lib/adapters',
    find: 'return { pk: targetPartition(target.cluster, target.kind, shardOf(target.uid, shards)), sk: target.uid };',
    replace: `const id = 'name' in target ? (target as Target).name : target.uid;
  return { pk: targetPartition(target.cluster, target.kind, shardOf(id, shards)), sk: id };`,
  },
  {
    name: 'what is being deleted is deleted again',
    unseen: 'the second delete changes nothing, so no version shows it',
    expected: ['I5'],
    inside: 'GuardedWriter.delete',
    find: 'if (isBeingDeleted(observed, options.propagation)) return;',
    replace: '',
    heldBy: {
      file: 'test/engine/context/guarded-writer.test.ts',
      test: 'an object is not deleted again when it is being deleted and waits for finalizers',
    },
  },
  {
    name: 'the entry of a creation is migrated in every pass',
    expected: ['I5'],
    inside: 'WriteMemory.isAsWritten',
    find: 'if (!this.#last.includes(mark) && !this.#kept.has(mark)) return false;',
    replace: 'if (!this.#kept.has(mark)) return false;',
    also: [{ inside: 'migrateToApply', find: "operation: 'Apply',", replace: "operation: 'Update'," }],
    heldBy: {
      file: 'test/engine/context/remembered-writes.test.ts',
      test: 'a write stays remembered when a pass does not reach it, and is forgotten with the object',
    },
  },
  {
    name: 'text is cut inside a character',
    unseen: 'no workload writes a text that is longer than its bound',
    expected: ['I5'],
    inside: 'cutTo',
    find: 'if (size > max) return whole.slice(0, end);',
    replace: 'if (size > max) return text.slice(0, max);',
    heldBy: { file: 'test/core/text.test.ts', test: 'a condition message holds 512 code points when it has %s' },
  },
  {
    name: 'an Event that is refused fails the pass',
    unseen: 'the pass has committed by then: its message comes again and is covered',
    expected: ['LEAK'],
    inside: 'tellTransitions',
    find: "logger.error('a Kubernetes Event could not be written', error, { kind, namespace, name, reason });",
    replace: 'throw error;',
    heldBy: {
      file: 'test/engine/pass/tell-transitions.test.ts',
      test: 'an Event fails no pass and starts no other one when it is %s',
    },
  },
  {
    name: 'a read that failed is answered from memory',
    expected: ['I4', 'I10', 'I2'],
    inside: 'LiveReader.#getLive',
    find: `      return await api.get(type, name, { signal });
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;`,
    replace: `      const read = await api.get(type, name, { signal });
      ((globalThis as { kept?: Map<string, unknown> }).kept ??= new Map()).set(\`\${kindId(type)} \${name.namespace} \${name.name}\`, read);
      return read;
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      const known = (globalThis as { kept?: Map<string, unknown> }).kept?.get(\`\${kindId(type)} \${name.namespace} \${name.name}\`);
      if (known === undefined) throw error;
      return known as KubeObject;`,
  },
  {
    name: 'access depends on the first valid grant, and not on the one that is valid longest',
    needs: { workload: 'secret-contracts' },
    expected: ['I5'],
    inside: 'longestLived',
    find: 'return valid.find(({ expiresAtMs }) => expiresAtMs === untilMs);',
    replace: 'return valid[0] === undefined ? undefined : { ...valid[0], expiresAtMs: untilMs };',
    heldBy: {
      file: 'test/controllers/secret-contract/judgement.test.ts',
      test: 'rests on the grant that holds for the longest: while it does, the end of another one changes nothing',
    },
  },
  {
    name: 'a merge patch of the target is not observed of it',
    scenario: 'an owner goes without its namespace, whose pass marks it',
    expected: ['I5'],
    inside: 'GuardedWriter.mergePatch',
    find: 'this.#keep(type, observed, patched);',
    replace: 'this.#reader.keep(type, name, versionNumber(resourceVersion), patched);',
    heldBy: {
      file: 'test/engine/context/own-target.test.ts',
      test: 'an own write is also observed when it is the last one of its pass',
    },
  },
];
