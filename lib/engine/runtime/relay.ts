import type { InstallationScope } from '../../core/installation.ts';
import type { LeaseTimings } from '../../core/lease.ts';
import type { Entropy } from '../../ports/clock.ts';
import type { Registry } from '../registry.ts';
import { Relay } from '../relay/relay.ts';
import { DEFAULT_RELAY_OPTIONS, type RelayOptions } from '../relay/relay-options.ts';
import type { UnchangedRecord } from '../unchanged-record.ts';
import type { Engine } from './engine.ts';

export type RelayPorts = Pick<Engine, 'api' | 'store' | 'sender' | 'clock' | 'entropy' | 'logger' | 'metrics'>;

export interface RelayPartOptions {
  /** The cluster's name in the installation. */
  readonly cluster: string;
  readonly scope: InstallationScope;
  readonly relay?: Partial<RelayOptions>;
  /** The name under which this run takes the cluster's hold. By default each hold has its own name. */
  readonly owner?: string;
  /** The prefix of the name of each hold, so that a hold can be given back when its process is gone. */
  readonly process?: string;
  /** What this process saw of the hold before. */
  readonly holdSeen?: UnchangedRecord;
}

/** The settings of a deployment for its relay. */
export interface RelaySettings {
  /** Objects of one page of a list. */
  readonly pageSize: number;
  /** The server ends a watch after this time, a third more or less. */
  readonly watchTimeoutMs: number;
  /** A watch that is silent for this long counts as dead. */
  readonly idleTimeoutMs: number;
  /** How long the hold of a dead relay keeps other relays out of the cluster. */
  readonly leaseMs: number;
}

export const DEFAULT_RELAY_SETTINGS: RelaySettings = {
  pageSize: 500,
  watchTimeoutMs: 300_000,
  idleTimeoutMs: 120_000,
  leaseMs: 30_000,
};

/** A watch ends after its time, a third more or less, so that not all watches reconnect at once. */
const SPREAD = 1 / 3;

/**
 * Watches the cluster and sends events while it holds the cluster's relay lease; otherwise it stands by.
 * @throws EvenkeelError INVALID_SELECTOR
 */
export function createRelay(
  { api, store, sender, clock, entropy, logger, metrics }: RelayPorts,
  registry: Registry,
  { cluster, scope, relay = {}, owner, process, holdSeen }: RelayPartOptions,
): Relay {
  return new Relay({
    cluster,
    api,
    store,
    sender,
    registry,
    scope,
    clock,
    entropy: owner === undefined ? ofProcess(entropy, process) : withId(entropy, owner),
    logger,
    metrics,
    ...(holdSeen !== undefined && { holdSeen }),
    options: relay,
  });
}

/**
 * Computes the options of a deployment's relay from the settings of the deployment.
 * @param timings of the deployment's passes.
 * @param deployment the one whose restore counter the relay keeps.
 * @param pollMs how often a standby checks the hold, if more often than usual.
 */
export function relayOptionsOf(
  { pageSize, watchTimeoutMs, idleTimeoutMs, leaseMs }: RelaySettings,
  timings: LeaseTimings,
  deployment: string,
  pollMs: number = DEFAULT_RELAY_OPTIONS.standbyPollMs,
): Partial<RelayOptions> {
  const watchSeconds = watchTimeoutMs / 1_000;
  return {
    pageSize,
    witness: { ...DEFAULT_RELAY_OPTIONS.witness, deployment },
    leaseMs,
    standbyPollMs: Math.min(pollMs, leaseMs / 2),
    idleMs: idleTimeoutMs,
    targetLease: timings,
    clockSkewMs: Math.min(timings.clockSkewMs, leaseMs / 4),
    watchSeconds: {
      min: Math.max(1, Math.round(watchSeconds * (1 - SPREAD))),
      max: Math.max(1, Math.round(watchSeconds * (1 + SPREAD))),
    },
  };
}

/** The relay names its holds by ids. Each id starts with the name of this process. */
function ofProcess(entropy: Entropy, process: string | undefined): Entropy {
  if (process === undefined) return entropy;
  return { random: () => entropy.random(), id: () => `${process}/${entropy.id()}` };
}

/** The relay names its holds by ids. All holds of this run have this id. */
function withId(entropy: Entropy, id: string): Entropy {
  return { random: () => entropy.random(), id: () => id };
}
