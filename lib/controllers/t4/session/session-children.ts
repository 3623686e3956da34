import { MANAGED_BY_LABEL, MANAGED_BY_VALUE } from '../../../core/installation.ts';
import { jsonEqual } from '../../../core/json-merge.ts';
import type { DesiredObject, JsonObject, KubeObject, ObjectName } from '../../../core/kube-object.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import type { ResourceType } from '../../../core/resource-type.ts';
import { createOrObserve, deleteAndObserve } from '../../../kit/ensure-owned.ts';
import { isUnread, observeObject, type Unread } from '../../../kit/observation.ts';
import { type ApiError, isApiError } from '../../../ports/cluster-api.ts';
import { MadeObject } from '../admission/made-object.ts';
import { sessionChildName } from '../child-name.ts';
import { Pods, Services } from '../kinds.ts';
import { type Child, childOf } from './child.ts';
import { isMadeFromOther, podRepair } from './desired-pod.ts';
import { desiredService, exposureOf, isExposed, serviceRepair } from './desired-service.ts';

const MANAGED_BY = { [MANAGED_BY_LABEL]: MANAGED_BY_VALUE };

/** The write that failed first. */
export interface ChildFailure {
  readonly kind: 'Pod' | 'Service';
  readonly error: ApiError;
}

/**
 * The Pod and Service of a session: reads them live, creates, repairs and removes them. An object that does not belong only
 * to the session is not changed.
 */
export class SessionChildren {
  pod: Child;
  service: Child;
  failure: ChildFailure | undefined;
  /** Whether a write was sent to the API server since the two were read. */
  acted = false;
  /** A read of the pass that failed, of any object. Then nothing is deleted. */
  doubt: ApiError | undefined;
  private readonly session: KubeObject;
  private readonly context: ReconcileContext;

  private constructor(session: KubeObject, context: ReconcileContext, pod: Child, service: Child) {
    this.session = session;
    this.context = context;
    this.pod = pod;
    this.service = service;
  }

  static async read(session: KubeObject, context: ReconcileContext): Promise<SessionChildren> {
    const name = nameOf(session);
    const [pod, service] = await Promise.all([
      observeObject(context, Pods, name),
      observeObject(context, Services, name),
    ]);
    return new SessionChildren(session, context, childOf(session, pod), childOf(session, service));
  }

  /** The first of the two that could not be read. */
  get unread(): (ChildFailure & Unread) | undefined {
    if (isUnread(this.pod)) return { kind: 'Pod', ...this.pod };
    if (isUnread(this.service)) return { kind: 'Service', ...this.service };
    return undefined;
  }

  /** Somebody else owns an object under the name of one of the two. */
  get hasConflict(): boolean {
    return this.pod.type === 'foreign' || this.service.type === 'foreign';
  }

  /** A Service must not lead to a Pod of somebody else, and a Pod must not run if it cannot be reached. */
  get mayCreate(): boolean {
    return !this.hasConflict && this.unread === undefined && this.failure === undefined;
  }

  private get mayDelete(): boolean {
    return this.doubt === undefined && this.unread === undefined;
  }

  /**
   * Repairs the Service in place. A Service that lets traffic in from outside, or that others created, is deleted and created
   * again.
   */
  async keepService({ mayCreate }: { readonly mayCreate: boolean }): Promise<void> {
    const repairOf = (service: KubeObject) => serviceRepair(service, this.session, MANAGED_BY);
    const closedOf = (service: KubeObject) => serviceRepair(service, this.session, MANAGED_BY, { closes: true });
    const made = this.made(Services, desiredService(this.session), closedOf);
    // An exposure by admission stays, because it would return with each create.
    const isToGo = (service: KubeObject) =>
      made.isMadeByOther(service) ||
      (isExposed(service) && !jsonEqual(exposureOf(made.target(service, closedOf)), exposureOf(service)));
    await this.writing('Service', async () => {
      if (this.service.type === 'owned') await made.adopt(this.service.object);
      if (this.service.type === 'owned' && this.mayDelete && isToGo(this.service.object))
        this.service = await this.deleted(Services, this.service.object);
      if (this.service.type === 'owned') {
        this.service = await this.repaired(made, Services, this.service.object, repairOf);
      } else if (this.service.type === 'absent' && mayCreate) {
        this.service = await this.created(made, Services);
      }
    });
  }

  /**
   * Repairs the Pod in place. A Pod of other content, or one that others created, is deleted and created again.
   * @param claim the claim that the Pod mounts.
   * @param replace whether to replace the Pod although its content is right.
   * @param isAuthorized called immediately before a creation.
   */
  async keepPod(
    { pod: desired, claim, replace }: { pod: DesiredObject; claim: KubeObject; replace: boolean },
    isAuthorized: () => Promise<boolean>,
  ): Promise<void> {
    const repairOf = (pod: KubeObject) => podRepair(pod, desired, MANAGED_BY);
    const made = this.made(Pods, desired, repairOf);
    const isToGo = (pod: KubeObject) =>
      replace || made.isMadeByOther(pod) || isMadeFromOther(pod, desired, claim, made);
    await this.writing('Pod', async () => {
      if (this.pod.type === 'owned') await made.adopt(this.pod.object);
      if (this.pod.type === 'owned' && isToGo(this.pod.object)) {
        if (!this.mayDelete) return;
        this.pod = await this.deleted(Pods, this.pod.object);
      }
      if (this.pod.type === 'owned') {
        this.pod = await this.repaired(made, Pods, this.pod.object, repairOf);
      } else if (this.pod.type === 'absent' && this.mayCreate) {
        await made.announce();
        if (await isAuthorized()) this.pod = await this.created(made, Pods);
        else await made.withdraw();
      }
    });
  }

  /** Deletes those of the two that the session owns. */
  async remove(): Promise<void> {
    await this.writing('Pod', async () => {
      if (this.pod.type === 'owned' && this.mayDelete) this.pod = await this.deleted(Pods, this.pod.object);
    });
    await this.writing('Service', async () => {
      if (this.service.type === 'owned' && this.mayDelete)
        this.service = await this.deleted(Services, this.service.object);
    });
  }

  private async deleted(type: ResourceType, object: KubeObject): Promise<Child> {
    this.acted = true;
    return childOf(this.session, await deleteAndObserve(this.context, type, object));
  }

  private made(type: ResourceType, desired: DesiredObject, repairOf: (object: KubeObject) => JsonObject): MadeObject {
    return new MadeObject(this.context, { type, desired, repairOf });
  }

  /** Repairs an object that others created and that must not be deleted now. It still does not count as ours. */
  private async repaired(
    made: MadeObject,
    type: ResourceType,
    object: KubeObject,
    repairOf: (object: KubeObject) => JsonObject,
  ): Promise<Child> {
    const repaired = made.isMadeByOther(object)
      ? await this.context.mergePatch(type, object, repairOf(object))
      : await made.repair(object, repairOf);
    if (repaired !== object) this.acted = true;
    return childOf(this.session, { type: 'found', value: repaired });
  }

  private async created(made: MadeObject, type: ResourceType): Promise<Child> {
    this.acted = true;
    const created = await createOrObserve(this.context, type, nameOf(this.session), () => made.create());
    const child = childOf(this.session, created.observation);
    const isCopy = !created.made && child.type === 'owned' && this.mayDelete && made.isMadeByOther(child.object);
    return isCopy ? await this.deleted(type, child.object) : child;
  }

  private async writing(kind: ChildFailure['kind'], write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      if (!isApiError(error)) throw error;
      this.failure ??= { kind, error };
    }
  }
}

function nameOf({ metadata }: KubeObject): ObjectName {
  return { namespace: metadata.namespace ?? '', name: sessionChildName(metadata) };
}
