// Writes infra/generated/relay-container/: what infra/container/Dockerfile runs.
import { bundleFunctions } from '../lib/deployment/package/bundle-functions.ts';

await bundleFunctions(['relay-container']);
