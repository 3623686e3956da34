// Writes infra/generated/container/: the files of the container image, with its Dockerfile.
import { fileURLToPath } from 'node:url';
import { writeContainerTree } from '../lib/deployment/package/container-tree.ts';

await writeContainerTree(fileURLToPath(new URL('../infra/generated/container', import.meta.url)));
