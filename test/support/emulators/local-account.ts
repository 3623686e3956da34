export const LOCAL_REGION = 'eu-central-1';
/** Default token of embedded parts. */
export const LOCAL_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

/** The credentials for embedded parts. They compare only the access key, so the token of the process is the key. */
export function localCredentials(token: string | undefined): typeof LOCAL_CREDENTIALS {
  return token === undefined ? LOCAL_CREDENTIALS : { ...LOCAL_CREDENTIALS, accessKeyId: token };
}
