package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// errPatch is what kube-apiserver answers as 422: a test that does not hold, a path that is not there.
var errPatch = errors.New("the server rejected our request due to an error in our request")

type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// patched applies a JSON patch (RFC 6902: test, add, replace, remove) or a merge patch (RFC 7386).
func patched(content document, contentType string, body []byte) (document, error) {
	if !strings.HasPrefix(contentType, "application/json-patch") {
		var change any
		if err := json.Unmarshal(body, &change); err != nil {
			return nil, err
		}
		merged, _ := merge(content, change).(document)
		return merged, nil
	}
	var operations []operation
	if err := json.Unmarshal(body, &operations); err != nil {
		return nil, err
	}
	var whole any = content
	for _, each := range operations {
		var err error
		if whole, err = apply(whole, pathOf(each.Path), each); err != nil {
			return nil, err
		}
	}
	result, isObject := whole.(document)
	if !isObject {
		return nil, errPatch
	}
	omitEmpty(result, "metadata", "finalizers")
	omitEmpty(result, "spec", "taints")
	return result, nil
}

// omitEmpty takes a list away that has nothing left in it, as kube-apiserver stores it.
func omitEmpty(content document, part, name string) {
	within, _ := content[part].(document)
	if list, isList := within[name].([]any); isList && len(list) == 0 {
		delete(within, name)
	}
}

func pathOf(pointer string) []string {
	parts := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for at := range parts {
		parts[at] = strings.ReplaceAll(strings.ReplaceAll(parts[at], "~1", "/"), "~0", "~")
	}
	return parts
}

func merge(to, change any) any {
	changes, isObject := change.(document)
	if !isObject {
		return change
	}
	into, isObject := to.(document)
	if !isObject {
		into = document{}
	}
	for name, value := range changes {
		if value == nil {
			delete(into, name)
		} else {
			into[name] = merge(into[name], value)
		}
	}
	return into
}

func apply(to any, path []string, change operation) (any, error) {
	switch within := to.(type) {
	case document:
		return applyToObject(within, path, change)
	case []any:
		return applyToList(within, path, change)
	}
	return nil, errPatch
}

func applyToObject(within document, path []string, change operation) (any, error) {
	name := path[0]
	value, exists := within[name]
	if len(path) > 1 {
		// Berth tests for null where there is nothing.
		if !exists && change.Op == "test" && change.Value == nil {
			return within, nil
		}
		inner, err := apply(value, path[1:], change)
		if err != nil {
			return nil, err
		}
		within[name] = inner
		return within, nil
	}
	switch {
	case change.Op == "test":
		if !equal(value, change.Value) {
			return nil, errPatch
		}
	case change.Op == "add" || change.Op == "replace" && exists:
		within[name] = change.Value
	case change.Op == "remove" && exists:
		delete(within, name)
	default:
		return nil, errPatch
	}
	return within, nil
}

func applyToList(within []any, path []string, change operation) (any, error) {
	isLast := len(path) == 1
	if isLast && path[0] == "-" && change.Op == "add" {
		return append(within, change.Value), nil
	}
	index, err := strconv.Atoi(path[0])
	isInsertion := isLast && change.Op == "add"
	if err != nil || index < 0 || index > len(within) || index == len(within) && !isInsertion {
		return nil, errPatch
	}
	if !isLast {
		inner, err := apply(within[index], path[1:], change)
		if err != nil {
			return nil, err
		}
		within[index] = inner
		return within, nil
	}
	switch change.Op {
	case "test":
		if !equal(within[index], change.Value) {
			return nil, errPatch
		}
		return within, nil
	case "add":
		longer := append([]any{}, within[:index]...)
		return append(append(longer, change.Value), within[index:]...), nil
	case "replace":
		within[index] = change.Value
		return within, nil
	case "remove":
		return append(append([]any{}, within[:index]...), within[index+1:]...), nil
	}
	return nil, errPatch
}

// equal compares as JSON; the names of objects are sorted in it.
func equal(one, other any) bool {
	left, _ := json.Marshal(one)
	right, _ := json.Marshal(other)
	return bytes.Equal(left, right)
}
