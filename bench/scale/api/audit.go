package main

import (
	"strings"
	"time"
)

// count is what was asked of one verb and resource.
type count struct {
	Requests int   `json:"requests"`
	BytesIn  int64 `json:"bytesIn"`
	BytesOut int64 `json:"bytesOut"`
	// Milliseconds since 1970.
	First int64 `json:"first"`
	Last  int64 `json:"last"`
}

// tally counts a request: `list pods`, `update nodeclaims/status`, `create nodeclaims 409` where it was refused.
func (c *cluster) tally(verb string, at target, in, out int) *count {
	name := verb + " " + resource(at.collection)
	if at.subresource != "" {
		name += "/" + at.subresource
	}
	return c.tallyAs(name, in, out)
}

func (c *cluster) tallyAs(name string, in, out int) *count {
	at := time.Now().UnixMilli()
	found := c.audit[name]
	if found == nil {
		found = &count{First: at}
		c.audit[name] = found
	}
	found.Requests++
	found.BytesIn += int64(in)
	found.BytesOut += int64(out)
	found.Last = at
	return found
}

func resource(collection string) string {
	return collection[strings.LastIndex(collection, "/")+1:]
}
