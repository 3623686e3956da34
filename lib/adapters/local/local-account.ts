/** Embedded parts check neither: any will do. */
export const LOCAL_REGION = 'eu-central-1';
export const LOCAL_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };
