import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';

/*
 * A copy of the code with which release 0.1 reads and writes items of targets, polls and clusters, with its expressions
 * and conditions. It never changes and uses nothing of the present adapters, because after a rollback that release
 * meets the items of this one.
 */

const SHARD = '0';
const FORMAT = 1;

const ACQUIRE =
  'SET leaseOwner = :owner, leaseAttempt = :attempt, leaseUntil = :leaseUntil, objectName = :objectName, ' +
  '#format = :format, epoch = if_not_exists(epoch, :now) + :one, ' +
  'committedEpoch = if_not_exists(committedEpoch, :now) REMOVE dirty, expiresAt';

const MAY_ACQUIRE =
  '(attribute_not_exists(leaseUntil) OR leaseUntil < :now) AND (attribute_not_exists(#format) OR #format <= :format)';
const NOT_FORGOTTEN = '(attribute_not_exists(expiresAt) OR attribute_exists(objectName))';

const END_LEASE = ' REMOVE leaseOwner, leaseAttempt, leaseUntil, dirty, expiresAt';

const COMMIT =
  'SET committedEpoch = :epoch, incarnation = :incarnation, failures = :failures, tokens = :tokens, ' +
  'tokensAt = :tokensAt, durableValues = :durableValues, wakeSent = :wakeSent, ' +
  'reconcilerVersion = :reconcilerVersion, lastOutcome = :lastOutcome, observedVersion = :observedVersion, ' +
  'dueAt = :dueAt, dueShard = :dueShard, edgeKeys = :edgeKeys, versions = :versions' +
  `${END_LEASE}, observedGeneration, longKeys`;

const DEFER =
  'SET dueAt = :dueAt, dueShard = :dueShard, wakeSent = :wakeSent, committedEpoch = :epoch, lastOutcome = :lastOutcome' +
  END_LEASE;

const FORGET =
  'SET expiresAt = :expiresAt, committedEpoch = :epoch REMOVE objectName, leaseOwner, leaseAttempt, leaseUntil, dirty, ' +
  'incarnation, observedVersion, observedGeneration, reconcilerVersion, failures, tokens, tokensAt, durableValues, dueAt, ' +
  'dueShard, wakeSent, versions, longKeys, edgeKeys, lastOutcome';

const HELD = 'leaseOwner = :owner AND epoch = :epoch';

type Values = Record<string, AttributeValue>;

const text = (value: string): AttributeValue => ({ S: value });
const number = (value: number): AttributeValue => ({ N: String(value) });
const numberIn = (item: Values, name: string) => (item[name]?.N === undefined ? undefined : Number(item[name]?.N));
const jsonIn = (item: Values, name: string): unknown => JSON.parse(item[name]?.S ?? 'null');

/** A target of kind `widgets.dev` in cluster `c`. */
export interface Target01 {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
}

export interface Commit01 {
  readonly observedVersion: number;
  readonly dueAtMs: number;
  readonly values: object;
  readonly versions: Readonly<Record<string, number>>;
  /** As a pass described it. Reason and message came from a controller and were stored unchecked. */
  readonly lastOutcome: object;
}

const WORKER = 'worker-of-0-1';

export class Release01Table {
  readonly #client: DynamoDBClient;
  readonly #tableName: string;

  constructor(client: DynamoDBClient, tableName: string) {
    this.#client = client;
    this.#tableName = tableName;
  }

  /** @param unseen the target's own version in the event. An item that has observed it refuses. */
  async acquire(target: Target01, nowMs: number, unseen?: number, forgottenEpoch?: number) {
    const known = forgottenEpoch === undefined ? NOT_FORGOTTEN : `(${NOT_FORGOTTEN} OR epoch = :forgottenEpoch)`;
    const cover = ' AND NOT (incarnation = :incarnation AND observedVersion >= :version)';
    const item = await this.#update(
      targetKey(target),
      ACQUIRE,
      `${MAY_ACQUIRE} AND ${known}${unseen === undefined ? '' : cover}`,
      {
        ':owner': text(WORKER),
        ':attempt': text('1'),
        ':leaseUntil': number(nowMs + 30_000),
        ':objectName': text(`${target.namespace}/${target.name}`),
        ':format': number(FORMAT),
        ':now': number(nowMs),
        ':one': number(1),
        ...(forgottenEpoch !== undefined && { ':forgottenEpoch': number(forgottenEpoch) }),
        ...(unseen !== undefined && { ':incarnation': number(1), ':version': number(unseen) }),
      },
      { '#format': 'format' },
    );
    return item === undefined ? undefined : readTarget(item);
  }

  async read(target: Target01) {
    const item = await this.#get(targetKey(target));
    return item === undefined ? undefined : readTarget(item);
  }

  async commit(target: Target01, epoch: number, record: Commit01): Promise<boolean> {
    const values = {
      ':incarnation': number(1),
      ':failures': number(0),
      ':tokens': number(5),
      ':tokensAt': number(record.dueAtMs),
      ':durableValues': text(JSON.stringify(record.values)),
      ':wakeSent': { BOOL: true },
      ':reconcilerVersion': text('0.1'),
      ':lastOutcome': text(JSON.stringify(record.lastOutcome)),
      ':observedVersion': number(record.observedVersion),
      ...due(record.dueAtMs),
      ':edgeKeys': { SS: Object.keys(record.versions) },
      ':versions': { M: Object.fromEntries(Object.entries(record.versions).map(([key, at]) => [key, number(at)])) },
    };
    return await this.#held(target, epoch, COMMIT, values, ' AND attribute_not_exists(dirty)');
  }

  async defer(target: Target01, epoch: number, dueAtMs: number, lastOutcome: object): Promise<boolean> {
    const outcome = { ':wakeSent': { BOOL: true }, ':lastOutcome': text(JSON.stringify(lastOutcome)) };
    return await this.#held(target, epoch, DEFER, { ...due(dueAtMs), ...outcome });
  }

  async markHeld(target: Target01, epoch: number, dueAtMs: number): Promise<boolean> {
    const update = 'SET dueAt = :dueAt, dueShard = :dueShard ADD dirty :mark';
    return await this.#held(target, epoch, update, { ...due(dueAtMs), ':mark': { SS: ['any'] } });
  }

  async forget(target: Target01, epoch: number, keepUntilMs: number): Promise<boolean> {
    const values = { ':expiresAt': number(Math.ceil(keepUntilMs / 1_000)) };
    return await this.#held(target, epoch, FORGET, values, ' AND attribute_not_exists(dirty)');
  }

  async pushDue(target: Target01, from: { dueAtMs: number; epoch: number }, toMs: number): Promise<boolean> {
    const item = await this.#update(
      targetKey(target),
      'SET dueAt = :dueAt, dueShard = :dueShard REMOVE wakeSent',
      'dueAt = :fromDueAt AND epoch = :epoch',
      { ...due(toMs), ':fromDueAt': number(from.dueAtMs), ':epoch': number(from.epoch) },
    );
    return item !== undefined;
  }

  /** The due keys that its sweep finds. */
  async due(untilMs: number): Promise<string[]> {
    return await this.#keys({
      IndexName: 'due',
      KeyConditionExpression: 'dueShard = :shard AND dueAt <= :until',
      ExpressionAttributeValues: { ':shard': { N: SHARD }, ':until': number(untilMs) },
    });
  }

  /** The UIDs that its resync finds in the inventory. */
  async inventory(): Promise<string[]> {
    return await this.#keys({
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': text(`T#c#widgets.dev#${SHARD}`) },
      ConsistentRead: true,
    });
  }

  async readPoll(name: string) {
    const item = (await this.#get(pollKey(name))) ?? {};
    return {
      version: numberIn(item, 'seenVersion'),
      counter: numberIn(item, 'pollCounter') ?? 0,
      intervalMs: numberIn(item, 'pollInterval') ?? 0,
      dueAtMs: numberIn(item, 'dueAt') ?? 0,
      wakeSent: item.wakeSent?.BOOL ?? false,
    };
  }

  /** Stores a poll for the first time. */
  async savePoll(name: string, counter: number, version: number, dueAtMs: number): Promise<boolean> {
    const item = await this.#update(
      pollKey(name),
      'SET dueAt = :dueAt, dueShard = :dueShard, wakeSent = :wakeSent, seenVersion = :version',
      'pollCounter = :counter AND attribute_not_exists(seenVersion)',
      {
        ...due(dueAtMs),
        ':wakeSent': { BOOL: true },
        ':counter': number(counter),
        ':version': number(version),
      },
    );
    return item !== undefined;
  }

  /** Its relay renews the hold, or takes over when the hold has expired by its own clock. @returns the epoch. */
  async holdRelay(cluster: string, owner: string, nowMs: number, untilMs: number): Promise<number | undefined> {
    const key = { pk: text(`R#${cluster}`), sk: text('health') };
    const values = { ':owner': text(owner), ':until': number(untilMs) };
    const renewed = await this.#update(key, 'SET relayUntil = :until', 'relayOwner = :owner', values);
    if (renewed !== undefined) return numberIn(renewed, 'relayEpoch');
    const taken = await this.#update(
      key,
      'SET relayOwner = :owner, relayUntil = :until, relayEpoch = if_not_exists(relayEpoch, :now) + :one',
      '(attribute_not_exists(relayOwner) OR relayUntil < :now)',
      { ...values, ':now': number(nowMs), ':one': number(1) },
    );
    return taken === undefined ? undefined : numberIn(taken, 'relayEpoch');
  }

  async #held(target: Target01, epoch: number, update: string, values: Values, besides = ''): Promise<boolean> {
    const hold = { ':owner': text(WORKER), ':epoch': number(epoch) };
    return (await this.#update(targetKey(target), update, HELD + besides, { ...hold, ...values })) !== undefined;
  }

  async #update(
    key: Values,
    update: string,
    condition: string,
    values: Values,
    names?: Record<string, string>,
  ): Promise<Values | undefined> {
    try {
      const command = new UpdateItemCommand({
        TableName: this.#tableName,
        Key: key,
        UpdateExpression: update,
        ConditionExpression: condition,
        ExpressionAttributeValues: values,
        ExpressionAttributeNames: names,
        ReturnValues: 'ALL_NEW',
      });
      return (await this.#client.send(command)).Attributes ?? {};
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return undefined;
      throw error;
    }
  }

  async #get(key: Values): Promise<Values | undefined> {
    const command = new GetItemCommand({ TableName: this.#tableName, Key: key, ConsistentRead: true });
    return (await this.#client.send(command)).Item;
  }

  async #keys(query: Omit<ConstructorParameters<typeof QueryCommand>[0], 'TableName'>): Promise<string[]> {
    const { Items = [] } = await this.#client.send(new QueryCommand({ TableName: this.#tableName, ...query }));
    return Items.map((item) => item.sk?.S ?? '');
  }
}

function targetKey({ uid }: Target01): Values {
  return { pk: text(`T#c#widgets.dev#${SHARD}`), sk: text(uid) };
}

function pollKey(name: string): Values {
  return { pk: text('P#c#group#secrets'), sk: text(`default/${name}`) };
}

function due(dueAtMs: number): Values {
  return { ':dueAt': number(dueAtMs), ':dueShard': { N: SHARD } };
}

/** The attributes of a target that it reads. It leaves all others unchanged. */
function readTarget(item: Values) {
  if ((numberIn(item, 'format') ?? FORMAT) > FORMAT) throw new Error('release 0.1 refuses an item of a newer format');
  return {
    isForgotten: item.expiresAt !== undefined && item.objectName === undefined,
    objectName: item.objectName?.S,
    leaseOwner: item.leaseOwner?.S,
    epoch: numberIn(item, 'epoch') ?? 0,
    committedEpoch: numberIn(item, 'committedEpoch') ?? 0,
    dirty: item.dirty?.SS ?? [],
    incarnation: numberIn(item, 'incarnation'),
    observedVersion: numberIn(item, 'observedVersion'),
    observedGeneration: numberIn(item, 'observedGeneration'),
    failures: numberIn(item, 'failures') ?? 0,
    tokens: numberIn(item, 'tokens'),
    tokensAtMs: numberIn(item, 'tokensAt'),
    values: jsonIn(item, 'durableValues') ?? {},
    dueAtMs: numberIn(item, 'dueAt'),
    wakeSent: item.wakeSent?.BOOL ?? false,
    versions: Object.fromEntries(Object.entries(item.versions?.M ?? {}).map(([name, { N }]) => [name, Number(N)])),
    edges: item.edgeKeys?.SS ?? [],
    reconcilerVersion: item.reconcilerVersion?.S,
    lastOutcome: jsonIn(item, 'lastOutcome'),
  };
}
