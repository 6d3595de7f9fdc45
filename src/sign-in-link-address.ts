/** The address that signs a browser in. The code is in the fragment, which is not sent to servers, and so neither logged nor in a Referer header. */
export function signInLinkOf(origin: string, code: string): string {
  return `${origin}/console/sign-in#${code}`;
}
