import { AwsJsonClient } from '../adapters/aws/aws-json-client.ts';
import { createAwsClients } from '../adapters/aws/clients.ts';
import { SsmParameterStore } from '../adapters/aws/ssm-parameter-store.ts';
import { UndiciRequestHandler } from '../adapters/aws/undici-request-handler.ts';
import { errorLine } from '../adapters/observability/error-description.ts';
import { SystemClock } from '../adapters/system/system-clock.ts';
import { EvenkeelError } from '../core/errors.ts';
import { readCloudEnvironment } from './cloud/cloud-environment.ts';
import { deploymentSettingsParameter, relayVariablesParameter, stageParametersPath } from './cloud/cloud-names.ts';
import { type ControllerGroups, GROUPS } from './groups/registered-groups.ts';
import { type CloudRuntime, createRuntime } from './wiring-cloud.ts';
import { processTerminal } from './wiring-process-terminal.ts';

const CONNECT_TIMEOUT_MS = 2_000;
const READ_TIMEOUT_MS = 4_000;

/**
 * The variables of the container itself. Everything else is in the stage's parameters, so that a deployment changes it
 * in one place.
 */
export interface ContainerEnvironment {
  readonly stage: string;
  /** The address on which the probes are answered. */
  readonly probeHost: string;
  readonly probePort: number;
}

/** @throws EvenkeelError BROKEN_DEPLOYMENT, with the missing variable. */
export function containerEnvironment(): ContainerEnvironment {
  const { EVENKEEL_STAGE, EVENKEEL_PROBE_HOST, EVENKEEL_PROBE_PORT } = process.env;
  return {
    stage: required('EVENKEEL_STAGE', EVENKEEL_STAGE),
    probeHost: EVENKEEL_PROBE_HOST ?? '127.0.0.1',
    probePort: Number(EVENKEEL_PROBE_PORT ?? 8_080),
  };
}

/**
 * Creates the parts of a relay outside Lambda, from the parameters of its stage.
 * @throws EvenkeelError BROKEN_DEPLOYMENT, NOT_DEPLOYED; InfrastructureError when AWS did not answer.
 */
export async function containerRuntime(stage: string, groups: ControllerGroups = GROUPS): Promise<CloudRuntime> {
  const region = required('AWS_REGION', process.env.AWS_REGION);
  const endpoint = process.env.AWS_ENDPOINT_URL;
  const clients = createAwsClients({ region, maxSockets: 1 });
  const requestHandler = new UndiciRequestHandler({
    maxSockets: 1,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    requestTimeoutMs: READ_TIMEOUT_MS,
  });
  try {
    const parameters = new SsmParameterStore(
      new AwsJsonClient({
        service: 'ssm',
        target: 'AmazonSSM',
        region,
        ...(endpoint !== undefined && { endpoint }),
        credentials: () => clients.dynamodb.config.credentials(),
        requestHandler,
        userAgent: `evenkeel app/${process.env.AWS_SDK_UA_APP_ID ?? 'evenkeel-relay'}`,
        clock: new SystemClock(),
      }),
    );
    const found = new Map((await parameters.list(stageParametersPath(stage))).map(({ name, value }) => [name, value]));
    const settings = found.get(deploymentSettingsParameter(stage));
    const variables = found.get(relayVariablesParameter(stage));
    if (settings === undefined || variables === undefined) {
      throw new EvenkeelError(
        'NOT_DEPLOYED',
        `stage ${stage} has no relay in a container in ${region}: there is no SSM parameter ${relayVariablesParameter(stage)}. Deploy it with cloud.relay: container.`,
      );
    }
    return await createRuntime(
      readCloudEnvironment(
        {
          ...(JSON.parse(variables) as Record<string, string>),
          EVENKEEL_SETTINGS: settings,
          AWS_REGION: region,
          AWS_ENDPOINT_URL: endpoint,
          AWS_SDK_UA_APP_ID: process.env.AWS_SDK_UA_APP_ID,
        },
        groups,
      ),
      groups,
    );
  } finally {
    clients.close();
    requestHandler.destroy();
  }
}

/** Ends the process with a line that says why, without any text of others. Kubernetes starts the pod again. */
export function failContainer(error: unknown): never {
  const text = error instanceof EvenkeelError ? `${error.code}: ${error.message}` : errorLine(error);
  processTerminal().err(`evenkeel: the relay ended: ${text}`);
  process.exit(1);
}

function required(name: string, value: string | undefined): string {
  if (value !== undefined && value !== '') return value;
  throw new EvenkeelError(
    'BROKEN_DEPLOYMENT',
    `the variable ${name} is missing. See infra/container/relay/relay.yaml.`,
  );
}
