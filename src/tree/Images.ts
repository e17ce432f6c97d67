/**
 * Where a record holds images, and what stands there: the image itself, or a reference to a blob.
 *
 *     "content":[{"type":"image","data":"<base64>", …}]                      a blob of the decoded bytes
 *     "image_url":"data:image/…;base64,<base64>"                             a blob of this text, in UTF-8
 *     "image_url":{"url":"data:image/…;base64,<base64>", …}                  the same
 *
 * These places count at any depth of any record, and images are put into blobs at no others. A reference is also one in the `data` of any
 * object with `type` `image` below a record, whatever the members around it are called: other agents write it there. A text elsewhere
 * that reads like a reference is a text. Pure.
 */
import { parseBlobRef } from "../blob/BlobRef.ts"
import { isObject, type Json, type JsonArray, type JsonObject, own } from "../model/Json.ts"
import { mapItems, mapMembers } from "../model/Mapping.ts"

/** How the text at a place stands for the bytes of a blob. */
export type Form = "base64" | "data-url"

export interface Image {
  readonly form: Form
  /** The image, or the reference to it. */
  readonly text: string
}

/** Gives the text that shall stand at a place. */
export type Change = (image: Image) => string

/** A walk: what is done at a place, and whether an image block counts outside a list under `content`. */
interface Walk {
  readonly change: Change
  readonly anywhere: boolean
}

const inUrl = (value: Json, { change }: Walk): Json =>
  typeof value === "string" ? change({ form: "data-url", text: value }) : value

const inBlock = (block: JsonObject, walk: Walk): JsonObject => {
  const isImage = own(block, "type") === "image"
  return mapMembers(block, (key, value) =>
    isImage && key === "data" && typeof value === "string"
      ? walk.change({ form: "base64", text: value })
      : inMember(key, value, walk),
  )
}

const inMember = (key: string, value: Json, walk: Walk): Json => {
  if (key === "image_url") {
    if (!isObject(value)) return inUrl(value, walk)
    return mapMembers(value, (name, inner) => (name === "url" ? inUrl(inner, walk) : inMember(name, inner, walk)))
  }
  if (key === "content" && Array.isArray(value)) {
    return mapItems(value as JsonArray, (item) => (isObject(item) ? inBlock(item, walk) : inValue(item, walk)))
  }
  return inValue(value, walk)
}

const inValue = (value: Json, walk: Walk): Json => {
  if (Array.isArray(value)) return mapItems(value as JsonArray, (item) => inValue(item, walk))
  if (!isObject(value)) return value
  return walk.anywhere ? inBlock(value, walk) : inObject(value, walk)
}

const inObject = (object: JsonObject, walk: Walk): JsonObject => mapMembers(object, (key, value) => inMember(key, value, walk))

/** The record with other texts at its images; the same reference when none changed. Cost: one walk. */
export const mapImages = (record: JsonObject, change: Change): JsonObject => inObject(record, { change, anywhere: false })

/** The record with other texts at its references; the same reference when none changed. Cost: one walk. */
export const mapReferences = (record: JsonObject, change: Change): JsonObject =>
  inObject(record, {
    change: (image) => (parseBlobRef(image.text) === undefined ? image.text : change(image)),
    anywhere: true,
  })

const found = (map: (record: JsonObject, change: Change) => JsonObject, record: JsonObject): ReadonlyArray<Image> => {
  const images: Array<Image> = []
  map(record, (image) => {
    images.push(image)
    return image.text
  })
  return images
}

/** The images of a record, in order, whatever stands there. */
export const imagesIn = (record: JsonObject): ReadonlyArray<Image> => found(mapImages, record)

/** The references of a record, in order. */
export const referencesIn = (record: JsonObject): ReadonlyArray<Image> => found(mapReferences, record)

const DATA_URL = /^data:image\/[^,]{0,200};base64,/

/** The base64 of a data URL of an image, or undefined for any other text. */
export const base64Of = ({ form, text }: Image): string | undefined => {
  if (form === "base64") return text
  const start = DATA_URL.exec(text)
  return start === null ? undefined : text.slice(start[0].length)
}
