import { websiteController } from '../../kit/controller/websites.ts';

export const website = websiteController({ finalizer: true, finalize: async () => undefined });
