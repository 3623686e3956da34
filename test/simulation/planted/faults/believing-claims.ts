import type { PlantedFault } from '../planted-fault.ts';

/** Faults that believe what somebody wrote on an object, or what an answer leaves out. */
export const BELIEVING_CLAIMS: readonly PlantedFault[] = [
  {
    name: 'an empty list of clients counts as absence',
    scenario: 'a Gateway is deleted while the account may not see its client',
    expected: ['I6'],
    inside: 'KeycloakIdentityProvider.findClient',
    find: 'await this.#proveView(realm, options);',
    replace: '',
    heldBy: {
      file: 'test/controllers/control-plane/identity.test.ts',
      test: 'R-3.10 R-1.17 a Gateway that is deleted keeps its finalizer and its client when the account has %s',
    },
  },
  {
    name: 'the marks of a client are trusted',
    needs: { workload: 'gateways' },
    expected: ['I7', 'CHECK'],
    inside: 'clientStanding',
    find: "return recorded !== undefined && (recorded.id === undefined || recorded.id === id) ? 'ours' : 'foreign';",
    replace: "return 'ours';",
  },
  {
    name: 'two Gateways hold one host',
    scenario: 'two Gateways ask for one host',
    expected: ['CHECK'],
    inside: 'olderHolder',
    find: 'return others.find((other) => isRival(other, host, permissions) && isBefore(other.metadata, metadata));',
    replace: 'return others[99];',
    also: [
      {
        inside: 'claimHost',
        find: 'if (route === undefined) return claim;',
        replace: "if (route?.kind !== 'other') return claim;",
      },
    ],
    heldBy: {
      file: 'test/controllers/control-plane/permissions.test.ts',
      test: 'R-3.8 the older Gateway holds the host, the other one reports HostConflict and gets the host when the first is gone',
    },
  },
];
