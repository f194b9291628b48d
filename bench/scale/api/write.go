package main

import (
	"encoding/json"
	"math/rand"
	"net/http"
	"strconv"
)

// answer is what a write is answered: the object, or the reason for a refusal.
type answer struct {
	code    int
	reason  string
	message string
	body    []byte
}

func refused(code int, reason, message string) answer {
	return answer{code: code, reason: reason, message: message}
}

func found(code int, o *object) answer { return answer{code: code, body: o.json()} }

var notFound = refused(http.StatusNotFound, "NotFound", "not found")

func conflict(message string) answer { return refused(http.StatusConflict, "Conflict", message) }
func invalid(message string) answer {
	return refused(http.StatusUnprocessableEntity, "Invalid", message)
}

// write carries out a POST, PUT, PATCH or DELETE.
func (c *cluster) write(method, contentType string, at target, body []byte) answer {
	if method == http.MethodPost {
		return c.create(at, body)
	}
	current := c.find(at)
	if current == nil {
		return notFound
	}
	switch method {
	case http.MethodPut:
		return c.update(at, current, body)
	case http.MethodPatch:
		content, err := patched(current.document(), contentType, body)
		if err != nil {
			return invalid(err.Error())
		}
		return c.changed(at, content)
	case http.MethodDelete:
		return c.deletion(at, current, body)
	}
	return refused(http.StatusMethodNotAllowed, "MethodNotAllowed", method)
}

func (c *cluster) create(at target, body []byte) answer {
	var content document
	if err := json.Unmarshal(body, &content); err != nil {
		return invalid(err.Error())
	}
	if at.subresource == "eviction" {
		evicted := c.find(at)
		if evicted == nil {
			return notFound
		}
		c.life.evict(evicted)
		return answer{code: http.StatusCreated, body: success}
	}
	meta := metadata(content)
	if at.namespace != "" {
		meta["namespace"] = at.namespace
	}
	if text(meta["name"]) == "" {
		meta["name"] = text(meta["generateName"]) + strconv.FormatInt(rand.Int63(), 36)
	}
	// Events are answered and forgotten: they are read by people only.
	if resource(at.collection) == "events" {
		meta["uid"], meta["resourceVersion"] = c.newUID(), "1"
		echo, _ := json.Marshal(content)
		return answer{code: http.StatusCreated, body: echo}
	}
	if c.collection(at.collection).objects[key(at.namespace, text(meta["name"]))] != nil {
		return refused(http.StatusConflict, "AlreadyExists", text(meta["name"])+" already exists")
	}
	for _, name := range []string{"resourceVersion", "uid", "creationTimestamp"} {
		delete(meta, name)
	}
	meta["generation"] = 1
	return found(http.StatusCreated, c.put(at.collection, content))
}

func (c *cluster) update(at target, current *object, body []byte) answer {
	var content document
	if err := json.Unmarshal(body, &content); err != nil {
		return invalid(err.Error())
	}
	before := current.document()
	meta, known := metadata(content), metadata(before)
	if version := text(meta["resourceVersion"]); version != "" && version != known["resourceVersion"] {
		return conflict("the object has been modified")
	}
	if at.subresource == "status" {
		before["status"] = content["status"]
		return c.changed(at, before)
	}
	for _, name := range []string{"uid", "creationTimestamp", "generation", "deletionTimestamp"} {
		if known[name] != nil {
			meta[name] = known[name]
		}
	}
	if at.namespace != "" {
		meta["namespace"] = at.namespace
	}
	if content["status"] == nil && before["status"] != nil {
		content["status"] = before["status"]
	}
	generation, _ := meta["generation"].(float64)
	meta["generation"] = generation + 1
	return c.changed(at, content)
}

func (c *cluster) deletion(at target, current *object, body []byte) answer {
	var options struct {
		Preconditions struct {
			UID             string `json:"uid"`
			ResourceVersion string `json:"resourceVersion"`
		} `json:"preconditions"`
	}
	_ = json.Unmarshal(body, &options)
	wanted := options.Preconditions
	if wanted.UID != "" && wanted.UID != current.uid {
		return conflict("the UID in the precondition does not match")
	}
	if wanted.ResourceVersion != "" && wanted.ResourceVersion != strconv.FormatInt(current.version, 10) {
		return conflict("the ResourceVersion in the precondition does not match")
	}
	content := current.document()
	meta := metadata(content)
	if finalizers, _ := meta["finalizers"].([]any); len(finalizers) == 0 {
		c.remove(at.collection, current)
		return answer{code: http.StatusOK, body: success}
	}
	if meta["deletionTimestamp"] != nil {
		return found(http.StatusOK, current)
	}
	meta["deletionTimestamp"] = now()
	return found(http.StatusOK, c.put(at.collection, content))
}

// changed stores an object, and removes it when it was being deleted and its last finalizer went.
func (c *cluster) changed(at target, content document) answer {
	stored := c.put(at.collection, content)
	meta := metadata(content)
	finalizers, _ := meta["finalizers"].([]any)
	if meta["deletionTimestamp"] != nil && len(finalizers) == 0 {
		if current := c.find(at); current != nil {
			c.remove(at.collection, current)
		}
	}
	return found(http.StatusOK, stored)
}

var success = []byte(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"}`)
