/**
 * Where the files of the package's threads are: in `workers`, two folders above this one, as in the sources so in the build and in the
 * command line that is put together from it. With the same ending as this file, `.ts` from a checkout and `.js` from the package.
 */
const ending = import.meta.url.slice(import.meta.url.lastIndexOf("."))

/** The file of a thread of the package. */
export const workerFile = (name: "writer" | "sync"): URL => new URL(`../../workers/${name}${ending}`, import.meta.url)
