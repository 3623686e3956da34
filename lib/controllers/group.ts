import type { z } from 'zod';
import type { Controller } from '../core/controller.ts';
import type { DesiredObject } from '../core/kube-object.ts';
import type { ResourceType } from '../core/resource-type.ts';
import type { Clock } from '../ports/clock.ts';
import type { ClusterApi } from '../ports/cluster-api.ts';
import type { ObjectSeries } from '../ports/object-series.ts';
import type { TargetState } from '../ports/state-store.ts';

/**
 * The manifest of a controller group: all that the rest of evenkeel needs to know of it. Settings, wiring, infra, cluster roles,
 * docs, doctor and command line read it. It is a plain value in `lib/controllers/<name>/group.ts`, and one line in
 * `lib/controllers/groups.ts` registers it.
 * @typeParam Section what the group's settings section becomes once it is parsed.
 * @typeParam Clients what its controllers call in addition to the cluster.
 */
export interface ControllerGroup<Section = unknown, Clients = unknown> {
  /**
   * Kebab-case. Part of names that never change for a deployment's life: settings section, queues, functions, roles, Lease,
   * service account, examples.
   */
  readonly name: string;
  /** What it does, in one sentence. */
  readonly about: string;
  /** The pages in docs/ that document it. */
  readonly pages: readonly string[];
  /** An installation whose settings name no group has it. */
  readonly isDefault?: boolean;
  /** The kinds whose CRDs it brings. */
  readonly kinds: readonly GroupKind[];
  /** Its section of the settings. Each field has a note (field-note.ts), of which docs/settings.md is written. */
  readonly section: z.ZodType<Section>;
  /**
   * What the group refuses although the schema takes it. Asked only for settings that a person wrote: those of an older release,
   * which are deployed already, may say so.
   */
  mistakes?(section: Section): readonly SettingMistake[];
  /** The settings that name a file. A path counts from where the settings file lies; a cloud deployment has no files. */
  readonly files?: readonly FileSetting[];
  readonly secrets?: readonly GroupSecret<Section>[];
  readonly clients?: GroupClients<Section, Clients>;
  readonly permissions: GroupPermissions<Section>;
  /** What `evenkeel doctor` looks at for this group alone. */
  readonly checks?: GroupChecks<Section>;
  /** Its controllers. Called without secrets and clients as well, in processes that run no pass. */
  controllers(section: Section, parts: GroupParts<Clients>): readonly Controller[];
}

export interface GroupKind {
  readonly type: ResourceType;
  /** Its CustomResourceDefinition. Left out: the file `infra/kubernetes/crds/<plural>.<group>.yaml` of this package. */
  readonly definition?: DesiredObject;
}

export interface SettingMistake {
  /** Where it stands in the section: fields, and places in lists. */
  readonly path: readonly (string | number)[];
  /** What is wrong and what to do, without a full stop. */
  readonly message: string;
  readonly written: unknown;
}

export interface FileSetting {
  /** Where it stands in the section. */
  readonly path: readonly string[];
  /** Why a cloud deployment refuses it, and what to do instead. */
  readonly inCloud: string;
}

/** A secret that a group works with. Groups that name the same one share it. */
export interface GroupSecret<Section = unknown> {
  /** Kebab-case. In Secrets Manager it is `evenkeel/<stage>/<name>`. */
  readonly name: string;
  /** What it is, as a noun phrase. */
  readonly what: string;
  /** Why the group needs it; its description in AWS. */
  readonly why: string;
  /**
   * `deployment`: AWS makes a random one with the stage, and `evenkeel start` keeps one in its state directory; controllers get it
   * as a part. `operator`: the operator of evenkeel makes it; the group's clients read it.
   */
  readonly madeBy: 'deployment' | 'operator';
  /** The id of the statement that lets the group's function read it. */
  readonly statement: string;
  /** The setting of this group that names a file with it, for one machine. */
  readonly file?: FileSetting['path'];
  isNeeded(section: Section): boolean;
}

/** What the controllers of a group call in addition to the cluster. */
export interface GroupClients<Section = unknown, Clients = unknown> {
  /** Whether `evenkeel start` runs its stand-in for an identity server. */
  needsStandIn?(section: Section): boolean;
  /** Called only where the passes of the group run. @returns undefined where the settings name nothing to connect to. */
  connect(section: Section, ports: ClientPorts): ConnectedClients<Clients> | undefined;
}

export interface ConnectedClients<Clients = unknown> {
  readonly clients: Clients;
  close(): Promise<void>;
}

/** What clients are made with. */
export interface ClientPorts {
  readonly clock: Clock;
  /** A file of this machine, as UTF-8. @throws the error of the file system, with its `code`. */
  readText(path: string): string;
  /** A secret of the stage, by the name that the group gives it; undefined on one machine, where the settings name files. */
  readonly stageSecret: ((name: string) => StageSecret) | undefined;
  /** The stand-in for an identity server, where one runs. */
  readonly standIn: { readonly server: string; readonly token: string | undefined } | undefined;
}

export interface StageSecret {
  /** In Secrets Manager. */
  readonly name: string;
  /** Its text at this moment; undefined where there is none. @throws InfrastructureError */
  read(): Promise<string | undefined>;
}

/** What a process gives the controllers of a group. */
export interface GroupParts<Clients = unknown> {
  /** A secret that the deployment makes; '' in a process that has none, since it runs no pass. */
  secret(name: string): string;
  /** Where each object's Ready status is shown; undefined where nothing serves it. */
  readonly series: ObjectSeries | undefined;
  /** Undefined in a process that runs no pass of the group, and where `connect` returned nothing. */
  readonly clients: Clients | undefined;
  /** A new password, unguessable: 192 bits of the machine's cryptographic randomness, in hex digits. */
  newPassword(): string;
}

/** A rule of a cluster role (`rbac.authorization.k8s.io/v1`, PolicyRule). */
export interface PermissionRule {
  /** Written above the rule in infra/kubernetes/roles, where the rule does not explain itself. */
  readonly why?: string;
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** Rules for one purpose, for the two identities that may have them. */
export interface PermissionSet {
  /** Written above the role of the reconcile function. */
  readonly about?: string;
  /** For the group's reconcile function. */
  readonly reconcile: readonly PermissionRule[];
  /** Written above the role of the relay. */
  readonly relayAbout?: string;
  /** For relay and resync, which list and watch. */
  readonly relay: readonly PermissionRule[];
}

/**
 * What a group may do in a cluster. infra/kubernetes/roles is written of it. Its own Lease and the UID of the cluster
 * come in addition, for every group.
 */
export interface GroupPermissions<Section = unknown> extends PermissionSet {
  /** Where its ClusterRoles are bound in an installation that is limited to namespaces. Left out: in each of them. */
  readonly reach?: string;
  readonly additional?: readonly AdditionalPermissions<Section>[];
}

/** Roles of a group that are bound apart from its main ones. */
export interface AdditionalPermissions<Section = unknown> extends PermissionSet {
  /** Kebab-case; ends the names of the roles. */
  readonly name: string;
  /** When the settings need them: they have a folder of their own then. Left out: they lie with the main ones, and are needed always. */
  isNeeded?(section: Section): boolean;
}

/** One thing that was looked at. */
export interface GroupDiagnosis {
  readonly level: 'ok' | 'note' | 'trouble';
  readonly text: string;
  /** What to do; for trouble, and some notes. */
  readonly advice?: string;
  /** An object asks for what the settings do not permit. A deployment lists these before it begins. */
  readonly reason?: 'NotPermitted';
}

export interface GroupChecks<Section = unknown> {
  /** Looks into a cluster. @param section of the settings that are deployed, or are to be. */
  cluster?(section: Section, api: ClusterApi): Promise<readonly GroupDiagnosis[]>;
  /** Looks at what the table knows of a cluster. @param inventory all targets of a kind. */
  inventory?(
    section: Section,
    inventory: (type: ResourceType) => AsyncIterable<TargetState>,
  ): Promise<readonly GroupDiagnosis[]>;
}
