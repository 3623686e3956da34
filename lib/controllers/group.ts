import type { z } from 'zod';
import type { Controller } from '../core/controller.ts';
import type { DesiredObject } from '../core/kube-object.ts';
import type { ResourceType } from '../core/resource-type.ts';
import type { Clock } from '../ports/clock.ts';
import type { ClusterApi } from '../ports/cluster-api.ts';
import type { ObjectSeries } from '../ports/object-series.ts';
import type { TargetState } from '../ports/state-store.ts';

/**
 * The manifest of a controller group: everything that the rest of evenkeel needs to know about it. Settings, wiring,
 * infra, cluster roles, docs, doctor and command line read it. It is a plain value in
 * `lib/controllers/<name>/group.ts`. One line in `lib/controllers/groups.ts` registers it.
 * @typeParam Section the parsed settings section of the group.
 * @typeParam Clients the services that its controllers call in addition to the cluster.
 */
export interface ControllerGroup<Section = unknown, Clients = unknown> {
  /**
   * Kebab-case. It is part of names that never change while a deployment exists: settings section, queues, functions, roles,
   * Lease, service account, examples.
   */
  readonly name: string;
  /** The purpose of the group, in one sentence. */
  readonly about: string;
  /** The pages in docs/ that document it. */
  readonly pages: readonly string[];
  /** A deployment whose settings name no group has this group. */
  readonly isDefault?: boolean;
  /** The kinds whose CRDs the group installs. */
  readonly kinds: readonly GroupKind[];
  /** Its section of the settings. Each field has a note (field-note.ts); docs/settings.md is generated from the notes. */
  readonly section: z.ZodType<Section>;
  /**
   * Values that the group refuses although the schema accepts them. Checked only for settings that a person wrote: deployed
   * settings of an older release may contain them.
   */
  mistakes?(section: Section): readonly SettingMistake[];
  /** The settings that name a file. A path is relative to the folder of the settings file. A cloud deployment has no files. */
  readonly files?: readonly FileSetting[];
  readonly secrets?: readonly GroupSecret<Section>[];
  readonly clients?: GroupClients<Section, Clients>;
  readonly permissions: GroupPermissions<Section>;
  /** The checks of `evenkeel doctor` for this group alone. */
  readonly checks?: GroupChecks<Section>;
  /** Its controllers. Also called without secrets and clients, in processes that run no pass. */
  controllers(section: Section, parts: GroupParts<Clients>): readonly Controller[];
}

export interface GroupKind {
  readonly type: ResourceType;
  /** Its CustomResourceDefinition. By default the file `infra/kubernetes/crds/<plural>.<group>.yaml` of this package. */
  readonly definition?: DesiredObject;
}

export interface SettingMistake {
  /** Its path in the section: field names and list indices. */
  readonly path: readonly (string | number)[];
  /** What is wrong and what to do, without a full stop. */
  readonly message: string;
  readonly written: unknown;
}

export interface FileSetting {
  /** Its path in the section. */
  readonly path: readonly string[];
  /** Why a cloud deployment refuses it, and what to do instead. */
  readonly inCloud: string;
}

/** A secret that a group uses. Groups that name the same secret share it. */
export interface GroupSecret<Section = unknown> {
  /** Kebab-case. In Secrets Manager it is `evenkeel/<stage>/<name>`. */
  readonly name: string;
  /** What it is, as a noun phrase. */
  readonly what: string;
  /** Why the group needs it. This is also its description in AWS. */
  readonly why: string;
  /**
   * `deployment`: AWS creates a random secret with the stage, and `evenkeel start` keeps one in its state directory.
   * The controllers get it as a part. `operator`: the operator of evenkeel creates the secret, and the clients of the
   * group read it.
   */
  readonly madeBy: 'deployment' | 'operator';
  /** The id of the statement that lets the group's function read it. */
  readonly statement: string;
  /** The setting of this group that names a file with the secret, for one machine. */
  readonly file?: FileSetting['path'];
  isNeeded(section: Section): boolean;
}

/** The services that the controllers of a group call in addition to the cluster. */
export interface GroupClients<Section = unknown, Clients = unknown> {
  /** The methods of the clients that change nothing. `evenkeel plan` calls no others (docs/decisions/0057). */
  readonly reads?: readonly string[];
  /** Whether `evenkeel start` runs its stand-in for an identity server. */
  needsStandIn?(section: Section): boolean;
  /**
   * Called only in processes that run passes of the group.
   * @returns undefined when the settings name nothing to connect to.
   */
  connect(section: Section, ports: ClientPorts): ConnectedClients<Clients> | undefined;
}

export interface ConnectedClients<Clients = unknown> {
  readonly clients: Clients;
  close(): Promise<void>;
}

/** The parts from which clients are created. */
export interface ClientPorts {
  readonly clock: Clock;
  /** A file of this machine, as UTF-8. @throws the error of the file system, with its `code`. */
  readText(path: string): string;
  /** A secret of the stage, by the name that the group gives it. Undefined on one machine, where the settings name files. */
  readonly stageSecret: ((name: string) => StageSecret) | undefined;
  /** The stand-in for an identity server, if one runs. */
  readonly standIn: { readonly server: string; readonly token: string | undefined } | undefined;
}

export interface StageSecret {
  /** In Secrets Manager. */
  readonly name: string;
  /**
   * Its present text; undefined when there is none.
   * @throws InfrastructureError
   */
  read(): Promise<string | undefined>;
}

/** The parts that a process gives to the controllers of a group. */
export interface GroupParts<Clients = unknown> {
  /** A secret that the deployment creates; '' in a process that runs no pass and so has none. */
  secret(name: string): string;
  /** Where each object's Ready status is shown; undefined where nothing serves it. */
  readonly series: ObjectSeries | undefined;
  /** Undefined in a process that runs no pass of the group, and when `connect` returned nothing. */
  readonly clients: Clients | undefined;
  /** A new password, unguessable: 192 bits of the machine's cryptographic randomness, in hex digits. */
  newPassword(): string;
}

/** A rule of a cluster role (`rbac.authorization.k8s.io/v1`, PolicyRule). */
export interface PermissionRule {
  /** A comment above the rule in infra/kubernetes/roles, for a rule that does not explain itself. */
  readonly why?: string;
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** Rules for one purpose, for the two identities that may have them. */
export interface PermissionSet {
  /** A comment above the role of the reconcile function. */
  readonly about?: string;
  /** For the group's reconcile function. */
  readonly reconcile: readonly PermissionRule[];
  /** A comment above the role of the relay. */
  readonly relayAbout?: string;
  /** For relay and resync, which list and watch. */
  readonly relay: readonly PermissionRule[];
}

/**
 * The permissions of a group in a cluster. infra/kubernetes/roles is generated from them. Every group also gets the
 * permission for its own Lease and for the UID of the cluster.
 */
export interface GroupPermissions<Section = unknown> extends PermissionSet {
  /**
   * The namespaces in which its ClusterRoles are bound, in a deployment that is limited to namespaces. By default each of
   * these namespaces.
   */
  readonly reach?: string;
  readonly additional?: readonly AdditionalPermissions<Section>[];
}

/** Roles of a group that are bound separately from its main ones. */
export interface AdditionalPermissions<Section = unknown> extends PermissionSet {
  /** Kebab-case; ends the names of the roles. */
  readonly name: string;
  /**
   * Whether the settings need these roles. The roles then have their own folder. When this is absent, they are in the
   * folder of the main roles and are always needed.
   */
  isNeeded?(section: Section): boolean;
}

/** The result of one check. */
export interface GroupDiagnosis {
  readonly level: 'ok' | 'note' | 'trouble';
  readonly text: string;
  /** What to do. Set for every problem, and for some notes. */
  readonly advice?: string;
  /** `NotPermitted`: an object asks for what the settings do not permit. A deployment lists these before it begins. */
  readonly reason?: 'NotPermitted';
}

export interface GroupChecks<Section = unknown> {
  /**
   * Checks a cluster.
   * @param section of the settings that are deployed, or will be.
   */
  cluster?(section: Section, api: ClusterApi): Promise<readonly GroupDiagnosis[]>;
  /**
   * Checks the items of a cluster in the table.
   * @param inventory all targets of a kind.
   */
  inventory?(
    section: Section,
    inventory: (type: ResourceType) => AsyncIterable<TargetState>,
  ): Promise<readonly GroupDiagnosis[]>;
}
