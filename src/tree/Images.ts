/**
 * Where a record holds images, and what stands there: the image itself, or a reference to a blob.
 *
 *     "content":[{"type":"image","data":"<base64>", …}]                      a blob of the decoded bytes
 *     "image_url":"data:image/…;base64,<base64>"                             a blob of this text, in UTF-8
 *     "image_url":{"url":"data:image/…;base64,<base64>", …}                  the same
 *
 * These places count at any depth of any record, and no others: a text elsewhere that reads like a reference is a text. Pure.
 */
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

const inUrl = (value: Json, change: Change): Json =>
  typeof value === "string" ? change({ form: "data-url", text: value }) : value

const inBlock = (block: JsonObject, change: Change): JsonObject => {
  const isImage = own(block, "type") === "image"
  return mapMembers(block, (key, value) =>
    isImage && key === "data" && typeof value === "string"
      ? change({ form: "base64", text: value })
      : inMember(key, value, change),
  )
}

const inMember = (key: string, value: Json, change: Change): Json => {
  if (key === "image_url") {
    if (!isObject(value)) return inUrl(value, change)
    return mapMembers(value, (name, inner) => (name === "url" ? inUrl(inner, change) : inMember(name, inner, change)))
  }
  if (key === "content" && Array.isArray(value)) {
    return mapItems(value as JsonArray, (item) => (isObject(item) ? inBlock(item, change) : inValue(item, change)))
  }
  return inValue(value, change)
}

const inValue = (value: Json, change: Change): Json => {
  if (Array.isArray(value)) return mapItems(value as JsonArray, (item) => inValue(item, change))
  return isObject(value) ? mapImages(value, change) : value
}

/** The record with other texts at its images; the same reference when none changed. Cost: one walk. */
export const mapImages = (record: JsonObject, change: Change): JsonObject =>
  mapMembers(record, (key, value) => inMember(key, value, change))

/** The images of a record, in order, whatever stands there. */
export const imagesIn = (record: JsonObject): ReadonlyArray<Image> => {
  const found: Array<Image> = []
  mapImages(record, (image) => {
    found.push(image)
    return image.text
  })
  return found
}

const DATA_URL = /^data:image\/[^,]{0,200};base64,/

/** The base64 of a data URL of an image, or undefined for any other text. */
export const base64Of = ({ form, text }: Image): string | undefined => {
  if (form === "base64") return text
  const start = DATA_URL.exec(text)
  return start === null ? undefined : text.slice(start[0].length)
}
