/** Every format that is evaluated. */
import { realKeys } from "./RealKeys.ts"
import type { SecretFormat } from "./Sample.ts"
import { tableSecrets } from "./TableSecrets.ts"
import { tableStructures } from "./TableStructures.ts"
import { vendorSecrets } from "./VendorSecrets.ts"

export const FORMATS: ReadonlyArray<SecretFormat> = [...tableSecrets, ...tableStructures, ...vendorSecrets, ...realKeys]
