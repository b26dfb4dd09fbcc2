/** The name of the user of this process, or its number if the system has no name, such as in a container with any user. */
export function operatorName(user: () => { readonly username: string }, uid: number | undefined): string {
  try {
    return user().username;
  } catch (cause) {
    if (uid === undefined) throw cause;
    return `uid ${uid}`;
  }
}
