/** The name of whoever runs a command, or the number where the system knows none, as in a container with any user. */
export function operatorName(user: () => { readonly username: string }, uid: number | undefined): string {
  try {
    return user().username;
  } catch (cause) {
    if (uid === undefined) throw cause;
    return `uid ${uid}`;
  }
}
